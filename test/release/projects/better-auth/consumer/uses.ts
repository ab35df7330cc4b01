/** What another project knows of the host from its declarations alone. */
import { auth, numberOf, start, type User } from "../dist/auth.js"
import { authClient, fetcher, start as startOnPage } from "../dist/client.js"

export const waiting = await start({ body: { phoneNumber: "+8801712345678", purpose: "link" } })
export const seconds = waiting.expiresAt.getTime() - waiting.now.getTime()
export const linked = (code: string) => auth.api.countersignLink({ body: { code } })
export const number = (user: User) => numberOf(user)?.slice(1)
export const onPage = (await startOnPage({ phoneNumber: "+8801712345678" })).data?.codeLength
export const answer = await fetcher.state()
export const session = authClient.useSession.get().data?.user.phoneNumberVerified

// @ts-expect-error -- a number, and not `any`
export const length: string = waiting.codeLength
// @ts-expect-error -- the input has to have a number
export const nothing = () => start({ body: {} })
// @ts-expect-error -- an endpoint that does not exist
export const unknown = () => auth.api.countersignSend
// @ts-expect-error -- an action that does not exist
export const noAction = () => authClient.countersign.send({ phoneNumber: "" })
// @ts-expect-error -- an answer is a problem or has data
export const data = () => answer.data
