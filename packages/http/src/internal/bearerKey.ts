const credentials = /^Bearer +(\S+) *$/i

/** The key in an `Authorization` header, good or not; `undefined` where there is none. */
export const bearerKey = (authorization: string | undefined): string | undefined =>
  credentials.exec(authorization ?? "")?.[1]
