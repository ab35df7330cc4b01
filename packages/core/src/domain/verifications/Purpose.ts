/** The purpose of a verification, such as `login`. */

export const maxLength = 32

/** Whether a text can be a purpose. */
export const isPurpose = (text: string): boolean => /^[a-z0-9][a-z0-9_.-]{0,31}$/.test(text)
