import { organizations } from "@countersign/core/api/organizations"

/** The operations in the order of the files that define their types. */
export const subjects = [
  {
    name: "organizations",
    title: "Organizations",
    about: "Manages organizations and their settings.",
    operations: organizations,
  },
]
