import { errors } from "./errors.ts"
import { insight } from "./insight.ts"
import { management } from "./management.ts"
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
  ...insight,
  ...refused,
}
