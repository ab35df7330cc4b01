export const traffic = {}
