/** Clerk: makes the ticket with which the browser of a verified number signs in. */
import type { ClerkClient } from "@clerk/backend"
import type { Countersign } from "countersign"

export const ticketFor = async (
  { verifications }: Countersign,
  { signInTokens, users }: ClerkClient,
  input: { requestId: string; code: string },
) => {
  const { phoneNumber } = await verifications.verify({ ...input, purpose: "login" })
  const { data } = await users.getUserList({ phoneNumber: [phoneNumber] })
  // Users can enter the numbers of others. Only a verified number identifies its user.
  const known = data.find(({ phoneNumbers }) =>
    phoneNumbers.some(
      (one) => one.phoneNumber === phoneNumber && one.verification?.status === "verified",
    ),
  )
  const user = known ?? (await users.createUser({ phoneNumber: [phoneNumber] }))
  const { token } = await signInTokens.createSignInToken({ userId: user.id, expiresInSeconds: 60 })
  return token
}
