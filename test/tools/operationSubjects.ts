import { apiKeys } from "@countersign/core/api/apiKeys"
import { organizations } from "@countersign/core/api/organizations"
import { senders } from "@countersign/core/api/senders"

/** The operations in the order of the files that define their types. */
export const subjects = [
  {
    name: "organizations",
    title: "Organizations",
    about: "Manages organizations and their settings.",
    operations: organizations,
  },
  {
    name: "apiKeys",
    title: "ApiKeys",
    about: "Manages the keys of the HTTP interface.",
    operations: apiKeys,
  },
  {
    name: "senders",
    title: "Brands",
    about: "Manages the senders of an organization.",
    operations: senders,
  },
]
