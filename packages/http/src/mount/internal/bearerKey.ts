const credentials = /^Bearer +(\S+) *$/i

/** Returns the key in an `Authorization` header, valid or not; `undefined` if the header has none. */
export const bearerKey = (authorization: string | undefined): string | undefined =>
  credentials.exec(authorization ?? "")?.[1]
