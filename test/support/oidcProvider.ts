/**
 * A provider of OpenID Connect on loopback: the certified `oidc-provider`, with people of our own and a page that asks
 * who one is.
 */
import { generateKeyPairSync } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { type Configuration, Provider } from "oidc-provider"
import { end, listen } from "./loopback.ts"

/** A person of the provider, by the claims that it gives. */
export type People = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export const clientId = "countersign dashboard"
export const clientSecret = "a secret that only these tests know"

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 })

interface Client {
  /** The address of the mount. */
  readonly url: string
}

const configurationOf = (people: People, clients: ReadonlyArray<Client>): Configuration => ({
  clients: clients.map(({ url }) => ({
    client_id: clientId,
    client_secret: clientSecret,
    redirect_uris: [`${url}/sign-in/callback`],
    post_logout_redirect_uris: [`${url}/`],
  })),
  jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256" }] },
  cookies: { keys: ["for these tests"] },
  pkce: { required: () => true },
  claims: { openid: ["sub"], profile: ["name", "roles", "organizations", "realm_access"] },
  findAccount: (_, id) => ({
    accountId: id,
    claims: async () => ({ sub: id, ...people[id] }),
  }),
  features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true } },
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  // Its own staff need not agree that a page of theirs knows their name.
  loadExistingGrant: async ({ oidc }) => {
    const grant = new oidc.provider.Grant({
      clientId: oidc.client?.clientId ?? "",
      accountId: oidc.session?.accountId ?? "",
    })
    grant.addOIDCScope("openid profile email")
    await grant.save()
    return grant
  },
})

const form = `<!doctype html><title>Provider</title><h1>Who are you?</h1>
<form method="post"><label>Account <input name="account" autofocus></label><button>Continue</button></form>`

const bodyOf = async (request: IncomingMessage): Promise<URLSearchParams> => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  return new URLSearchParams(text)
}

/** Asks for the account, and refuses one of them, as a real provider does for many reasons. */
const interact = async (
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  if (request.method !== "POST") {
    response.setHeader("content-type", "text/html")
    response.end(form)
    return
  }
  const accountId = (await bodyOf(request)).get("account") ?? ""
  const result =
    accountId === "stranger"
      ? { error: "access_denied", error_description: "this account is not <allowed>" }
      : { login: { accountId } }
  await provider.interactionFinished(request, response, result)
}

/** Serves the provider until it is disposed of. */
export const serveProvider = async (people: People, ...clients: ReadonlyArray<Client>) => {
  const started: { provider?: Provider } = {}
  const server = createServer((request, response) => {
    const { provider } = started
    if (provider === undefined) return void response.destroy()
    if (request.url?.startsWith("/interaction/") === true)
      interact(provider, request, response).catch(() => response.destroy())
    else void provider.callback()(request, response)
  })
  const issuer = `http://127.0.0.1:${await listen(server)}`
  started.provider = new Provider(issuer, configurationOf(people, clients))
  return { issuer, [Symbol.dispose]: () => end(server) }
}
