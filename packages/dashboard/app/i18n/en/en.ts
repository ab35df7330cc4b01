import { insight } from "./insight.ts"
import { management } from "./management.ts"
import { shell } from "./shell.ts"
import { traffic } from "./traffic.ts"

export const english = { ...shell, ...traffic, ...management, ...insight }
