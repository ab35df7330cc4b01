/** The errors that the endpoints add to the engine's errors. */
export const ownErrors = {
  /** The page shows another number than the one that the code was sent to. */
  number_changed: { status: 409, message: "The code was sent to another phone number" },
  /** Only for the owner of the number, who has entered its code. */
  number_in_use: { status: 409, message: "Another user has this phone number" },
  /** Only for the owner of the number, who has entered its code. */
  sign_up_disabled: { status: 403, message: "No user has this phone number" },
  /** The code was sent while another user was signed in. */
  user_changed: { status: 409, message: "Another user is signed in now" },
} as const
