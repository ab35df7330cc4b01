import type { Dictionary } from "../dictionary.ts"
import { english } from "../en/en.ts"

export const bangla: Dictionary = english
