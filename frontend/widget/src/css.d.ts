/** The build minifies a style sheet and hands it over as text. */
declare module "*.css" {
  const text: string;
  export default text;
}
