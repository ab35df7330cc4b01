import { cookies } from "next/headers"
import { cookieName, sessions } from "../src/sessions.ts"
import { signOut } from "./actions.ts"
import { CodeForm, NumberForm } from "./forms.tsx"

const Page = async () => {
  const id = (await cookies()).get(cookieName)?.value
  const session = id === undefined ? undefined : await (await sessions()).find(id, Date.now())
  return (
    <main>
      <h1>Sign in by phone</h1>
      {session === undefined ? (
        <NumberForm />
      ) : session.requestId === null ? (
        <form action={signOut}>
          <p>You are signed in as {session.phoneNumber}.</p>
          <button>Sign out</button>
        </form>
      ) : (
        <CodeForm phoneNumber={session.phoneNumber} />
      )}
    </main>
  )
}

export default Page
