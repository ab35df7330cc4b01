export const management = {}
