const Page = () => <p>An app</p>

export default Page
