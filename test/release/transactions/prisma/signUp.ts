/** Prisma: adds a user and queues the code in one transaction. */
import type { OfRequest, Prepared } from "countersign"
import type { PrismaClient } from "./generated/client.ts"

export const signUp = (prisma: PrismaClient, phoneNumber: string, later: OfRequest & Prepared) =>
  prisma.$transaction(async (tx) => {
    await tx.$executeRawUnsafe(later.statement.text, ...later.statement.values)
    await tx.user.create({ data: { phoneNumber, requestId: later.requestId } })
  })
