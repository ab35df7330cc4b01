/** Headers of every answer. Pages load nothing from elsewhere, run no inline script, and are in no frame. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ")

export const securityHeaders = {
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const

/** Answers with data are not stored. */
export const apiHeaders = { ...securityHeaders, "cache-control": "no-store" } as const
