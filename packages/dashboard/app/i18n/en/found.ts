/** The results of a search. */
export const found = {
  found: {
    title: "Search results",
    intro: "For “{query}”.",
    none: "Nothing has this number or id.",
    noneHint: "Retention may have removed it, or it belongs to another organization.",
    organizations: "Organizations",
    kinds: {
      verification: "Verifications",
      message: "Messages",
      api_key: "API keys",
      webhook: "Webhooks",
      payment: "Payments",
    },
    allVerifications: "All verifications of this number",
    allMessages: "All messages to this number",
  },
}
