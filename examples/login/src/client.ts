import { countersignClient } from "@countersign/better-auth/client"
import { createAuthClient } from "better-auth/client"

export const authClient = createAuthClient({ plugins: [countersignClient()] })
