/** What a host exports, and a compiler has to name in its declarations. */
import { countersign, countersignPhoneNumber } from "@countersign/better-auth"
import { betterAuth } from "better-auth"
import { phoneNumber } from "better-auth/plugins/phone-number"
import { createCountersign } from "countersign"

const engine = await createCountersign({ database: "memory" })

export const plugin = countersign(engine, { country: "BD" })
export const auth = betterAuth({ plugins: [plugin] })
export const ofOrganization = betterAuth({ plugins: [countersign(engine.organization("acme"))] })
export const start = auth.api.countersignStart
export const callbacks = countersignPhoneNumber(engine)

// Not exported: better-auth's own plugin makes declarations that name zod.
betterAuth({ plugins: [phoneNumber({ ...callbacks })] })

export type User = typeof auth.$Infer.Session.user
export const numberOf = (user: User): string | null | undefined => user.phoneNumber

export const check = (code: string) => auth.api.countersignCheck({ body: { code } })

// @ts-expect-error -- a misspelt field is no field of the input
export const misspelt = () => auth.api.countersignCheck({ body: { kode: "123456" } })

await engine.dispose()
