/** Users and their numbers, by better-auth's own adapter. */
import type { GenericEndpointContext, User } from "better-auth"
import { refuse } from "./problems.ts"
import type { CountersignOptions, NewUser } from "./types.ts"

type StoredUser = User & {
  readonly phoneNumber?: string | null
  readonly phoneNumberVerified?: boolean | null
}

/** Stored with a number that was verified. */
const verifiedNumber = (phoneNumber: string) => ({ phoneNumber, phoneNumberVerified: true })

const findOwner = ({ context }: GenericEndpointContext, phoneNumber: string) =>
  context.adapter.findOne<StoredUser>({
    model: "user",
    where: [{ field: "phoneNumber", value: phoneNumber }],
  })

/**
 * The user with this number. A number that a user has only claimed is taken from them: its owner has just proved that
 * it is theirs. Otherwise a stranger could claim a number, and its owner would sign in to the stranger's account.
 */
const verifiedOwner = async (
  ctx: GenericEndpointContext,
  phoneNumber: string,
): Promise<StoredUser | null> => {
  const owner = await findOwner(ctx, phoneNumber)
  if (owner === null || owner.phoneNumberVerified === true) return owner
  await ctx.context.internalAdapter.updateUser(owner.id, {
    phoneNumber: null,
    phoneNumberVerified: false,
  })
  return null
}

/** The address reveals no number. A later owner of the number can also sign up. */
const anonymous = (): NewUser => ({ email: `${crypto.randomUUID()}@phone.invalid`, name: "" })

/** Creates the user, unless another request has just done it. */
const signUp = async (
  ctx: GenericEndpointContext,
  phoneNumber: string,
  { newUser = anonymous, signUp = true }: CountersignOptions,
): Promise<User> => {
  if (!signUp) return refuse("sign_up_disabled")
  const fields = {
    emailVerified: false,
    ...(await newUser(phoneNumber)),
    ...verifiedNumber(phoneNumber),
  }
  try {
    return await ctx.context.internalAdapter.createUser(fields, { method: "phone-number" })
  } catch (error) {
    const other = await verifiedOwner(ctx, phoneNumber)
    if (other === null) throw error
    return other
  }
}

/** The user who signs in with a number that was verified. */
export const userOf = async (
  ctx: GenericEndpointContext,
  phoneNumber: string,
  options: CountersignOptions,
): Promise<User> => (await verifiedOwner(ctx, phoneNumber)) ?? signUp(ctx, phoneNumber, options)

/** Gives a number that was verified to a user. */
export const giveNumber = async (
  ctx: GenericEndpointContext,
  userId: string,
  phoneNumber: string,
): Promise<User> => {
  const isOfAnother = async (): Promise<boolean> => {
    const owner = await verifiedOwner(ctx, phoneNumber)
    return owner !== null && owner.id !== userId
  }
  if (await isOfAnother()) return refuse("number_in_use")
  try {
    return await ctx.context.internalAdapter.updateUser(userId, verifiedNumber(phoneNumber))
  } catch (error) {
    if (await isOfAnother()) return refuse("number_in_use")
    throw error
  }
}
