import { load } from "../../../../src/load.ts"

const answer = async (request: Request): Promise<Response> => (await load()).payment.fetch(request)

export { answer as GET, answer as POST }
