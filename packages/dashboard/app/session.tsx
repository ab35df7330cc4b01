/** The actor who is signed in, and the organization that the pages show. */
import { createContext, type ReactNode, use, useMemo } from "react"
import { useRead } from "./api/client.ts"
import type { Channel, FraudRules, Organization, Role } from "./api/types.ts"
import type { OperationName } from "./generated/operationNames.ts"
import { Loaded } from "./ui/states.tsx"

/** The settings of the host. */
export interface Host {
  readonly currency: string
  /** The channels of codes. */
  readonly channels: ReadonlyArray<Channel>
  /** The limits of an organization without limits of its own. */
  readonly limits: Organization["limits"]
  /** The languages of codes, the default first. */
  readonly locales: ReadonlyArray<string>
  readonly production: boolean
  /** How long rows of each kind are kept, such as `90 days`; `null`: without limit. */
  readonly retention: Readonly<Record<string, string | null>>
  readonly testNumbers: ReadonlyArray<{ readonly phoneNumber: string; readonly outcome: string }>
  /** `null`: fraud detection is off. */
  readonly fraud: FraudRules | null
  readonly inboxUrl: string | null
}

export interface SessionData {
  readonly actor: {
    readonly id: string
    readonly name: string | null
    readonly origin?: string | null
  }
  readonly roles: ReadonlyArray<Role>
  /** The only organizations that the reader sees; `null`: all. */
  readonly organizations: ReadonlyArray<string> | null
  /** The operations that the roles include. */
  readonly operations: ReadonlyArray<string>
  /** Whether phone numbers in answers are masked. */
  readonly masksNumbers: boolean
  /** Whether the login keeps its sessions in the engine. */
  readonly hasLoginSessions: boolean
  readonly host: Host
}

interface Session extends SessionData {
  readonly isOperator: boolean
  /** Whether the roles of the reader include an operation. */
  readonly can: (operation: OperationName) => boolean
}

const SessionContext = createContext<Session | undefined>(undefined)

export const useSession = (): Session => {
  const value = use(SessionContext)
  if (value === undefined) throw new Error("no session")
  return value
}

const sessionOf = (data: SessionData): Session => ({
  ...data,
  isOperator: data.organizations === null,
  can: (operation) => data.operations.includes(operation),
})

const Provide = ({
  children,
  data,
}: {
  readonly data: SessionData
  readonly children: ReactNode
}) => {
  const value = useMemo(() => sessionOf(data), [data])
  return <SessionContext value={value}>{children}</SessionContext>
}

export const SessionProvider = ({ children }: { readonly children: ReactNode }) => (
  <Loaded query={useRead<SessionData>("session")}>
    {(data) => <Provide data={data}>{children}</Provide>}
  </Loaded>
)

const OrganizationContext = createContext<string | undefined>(undefined)

export const OrganizationProvider = OrganizationContext

/** The organization that the address names. */
export const useOrganization = (): {
  readonly id: string
  /** A path of the API below the organization. */
  readonly api: (path: string) => string
  /** A path of the dashboard below the organization. */
  readonly page: (path: string) => string
} => {
  const id = use(OrganizationContext)
  if (id === undefined) throw new Error("no organization")
  return useMemo(() => {
    const name = encodeURIComponent(id)
    return {
      id,
      api: (path) => `organizations/${name}${path === "" ? "" : `/${path}`}`,
      page: (path) => `/org/${name}${path === "" ? "" : `/${path}`}`,
    }
  }, [id])
}
