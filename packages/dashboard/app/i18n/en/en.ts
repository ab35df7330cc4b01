import { errors } from "./errors.ts"
import { management } from "./management.ts"
import { overview } from "./overview.ts"
import { problems } from "./problems.ts"
import { refused } from "./refused.ts"
import { shell } from "./shell.ts"
import { traffic } from "./traffic.ts"

export const english = {
  ...shell,
  ...errors,
  ...problems,
  ...traffic,
  ...management,
  ...overview,
  ...refused,
}
