import { countersignClient, type Fetcher } from "@countersign/better-auth/client"
import { createAuthClient } from "better-auth/client"

export const plugin = countersignClient()
export const authClient = createAuthClient({ plugins: [plugin] })
export const start = authClient.countersign.start
export const fetcher: Fetcher = authClient.countersign.fetcher()

export const check = (code: string) => authClient.countersign.check({ code })

// @ts-expect-error -- a misspelt field is no field of the input
export const misspelt = () => authClient.countersign.check({ kode: "123456" })
