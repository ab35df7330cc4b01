import { PrismaPg } from "@prisma/adapter-pg"
import type { Open } from "../host.ts"
import { PrismaClient } from "./generated/client.ts"
import { signUp } from "./signUp.ts"

export const open: Open = async (url) => {
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) })
  return { signUp: (...input) => signUp(prisma, ...input), close: () => prisma.$disconnect() }
}
