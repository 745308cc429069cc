// A page of a site: the viewer, on the document that the page contains. What scripts cannot show is read without them.
import { render } from "preact";
import "@lichess-org/chessground/assets/chessground.base.css";
import "@lichess-org/chessground/assets/chessground.cburnett.css";
import "../style/page.css";
import "../style/review.css";
import "../style/why.css";
import "../style/report.css";
import "../style/phone.css";
import "../style/print.css";
import "./site.css";
import { ReviewRoom } from "../rooms/review";
import { route } from "../route";
import { setLanguage } from "../words";

setLanguage(document.documentElement.lang);
// The page for readers without scripts gives its place to the viewer; the header stays.
const place = document.getElementById("main");
if (place) {
  const viewer = document.createElement("div");
  place.replaceWith(viewer);
  const show = () => render(<ReviewRoom key={route.value.visit} id={0} />, viewer);
  show();
  // A link to another move of the same page.
  addEventListener("popstate", show);
}
