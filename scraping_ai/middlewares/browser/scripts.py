"""JavaScript that is run in a page, in a world of its own. Doubled braces are for `str.format`."""

from __future__ import annotations

# Runs before a page's own scripts, in their world.
NO_WINDOWS = "window.open = () => null"

# [document is there, characters of visible text, elements, whether something matches the selector]
LOOK = """(() => {{
  const body = document.body, selector = {selector};
  let found = false;
  try {{ found = !!selector && !!document.querySelector(selector) }} catch (e) {{ }}
  return [document.readyState !== "loading", body ? body.innerText.trim().length : 0,
          document.getElementsByTagName("*").length, found];
}})()"""

# The document's text, null when that is too long.
MARKUP = """(() => {{
  const root = document.documentElement, type = document.doctype;
  const text = (type ? new XMLSerializer().serializeToString(type) + "\\n" : "") + (root ? root.outerHTML : "");
  return text.length > {limit} ? null : text;
}})()"""

# Scroll to the end and press one visible button that asks for more; whether one was pressed.
CLICK_MORE = r"""(() => {
  const words = new RegExp("^(load|show|view|see)( \\d+)? more\\b|^more (results|products|items|articles)\\b|" +
    "^mehr (laden|anzeigen)|^weitere\\b.{0,30}(laden|anzeigen)|^(voir|afficher|charger)\\b.{0,20}\\bplus\\b|" +
    "^(cargar|ver|mostrar) m[aá]s|^(carica|mostra) (altr|di più)|^(carregar|ver|mostrar) mais|^meer (laden|tonen)|" +
    "^(pokaż|załaduj) więcej|^(показать|загрузить) (ещё|еще)|" +
    "^もっと(見る|読み込む)|^(加载|查看|載入)更多|^더 ?보기", "i");
  window.scrollTo(0, document.documentElement.scrollHeight);
  for (const one of document.querySelectorAll("button, [role=button], a, input[type=button]")) {
    const text = (one.innerText || one.value || "").trim();
    const href = one.getAttribute("href");
    const leads = one.tagName === "A" && href && !/^(#|javascript:)/i.test(href);
    if (text.length < 60 && words.test(text) && !leads && !one.disabled && one.getClientRects().length) {
      one.click();
      return true;
    }
  }
  return false;
})()"""
