"""Pages that stand in a page's place, by name with their class, and ordinary pages that look like them in some way.

    with Site({"/": Resource(*NOTICES["cloudflare"].page)}) as site: ...

Written for these tests after what sites and vendors send; nothing is copied.
"""

from __future__ import annotations

from typing import NamedTuple

from servers.site import Resource

TEXT = "The kettle holds a litre and a half, boils in four minutes and keeps its water warm for an hour after that. "
SCRIPT = (
    "<script>" + "!function(e,t){var n=e[t]||{};for(var r=0;r<9;r++)n[r]=t+r;return n}(window,'q');" * 60 + "</script>"
)
MENU = "".join(f'<li><a href="/c/{n}">Kitchen, part {n}</a></li>' for n in range(12))
AROUND = f"<header><a href='/'>Pots &amp; Co</a><ul>{MENU}</ul></header>{{}}<footer>© Pots &amp; Co, Imprint</footer>"


class Fault(NamedTuple):
    """What a page is, and how it arrives."""

    kind: str
    resource: Resource


def html(body: str, title: str = "Pots & Co", head: str = "", lang: str = "en") -> str:
    return f'<!doctype html><html lang="{lang}"><head><title>{title}</title>{head}</head><body>{body}</body></html>'


def fault(kind: str, body: str | bytes, status: int = 200, **headers: str) -> Fault:
    return Fault(kind, Resource(body, status, {name.replace("_", "-"): value for name, value in headers.items()}))


def bundle(root: str, head: str = "", after: str = "") -> str:
    """A single-page application as its server sends it."""
    return html(
        f'{root}{after}<script src="/static/main.3f2a.js"></script>', "Shop", head + '<script src="/v.js"></script>'
    )


SHELLS = {
    "react": fault(
        "js_shell", bundle("<noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div>")
    ),
    "vue": fault("js_shell", bundle('<div id="app"></div><!-- built files will be auto injected -->')),
    "angular": fault("js_shell", bundle("<app-root></app-root>", '<base href="/">')),
    "next without state": fault(
        "js_shell",
        bundle('<div id="__next"></div>')
        + '<script id="__NEXT_DATA__" type="application/json">{"props":{"pageProps":{}},"page":"/"}</script>',
    ),
    "loading": fault("js_shell", bundle('<div id="app"><div class="spinner"></div><p>Loading…</p></div>')),
    "site markup only": fault(
        "js_shell",
        bundle(
            '<div id="root"></div>',
            '<script type="application/ld+json">{"@type":"Organization","name":"Pots &amp; Co, makers of pots"}'
            "</script>",
        ),
    ),
    "inline bundle": fault("js_shell", html(f'<div class="outlet"></div>{SCRIPT}')),
    "header around nothing": fault(
        "js_shell", html(f'<nav><a href="/">Home</a></nav><main id="app"></main><footer>© Pots</footer>{SCRIPT}')
    ),
    "noscript, German": fault(
        "js_shell",
        html(
            f"<noscript>Bitte aktivieren Sie JavaScript, um diese Seite zu nutzen.</noscript><p>Töpfe</p>{SCRIPT}",
            lang="de",
        ),
    ),
    "noscript, Japanese": fault(
        "js_shell", html(f"<noscript>JavaScriptを有効にしてください。</noscript><div class=x></div>{SCRIPT}", lang="ja")
    ),
    "asks in its text": fault("js_shell", html(f"<p>This site requires JavaScript.</p>{SCRIPT}")),
    "waits in Russian": fault("js_shell", html(f"<div>Загрузка...</div>{SCRIPT}", lang="ru")),
}
BLOCKS = {
    "cloudflare": fault(
        "blocked",
        html(
            "<div class=main-wrapper><h1>shop.example</h1><p>Checking that the connection is secure.</p>"
            "<script>window._cf_chl_opt={cvId:'3',cType:'managed'};</script></div>",
            "Just a moment...",
        ),
        403,
        Cf_Mitigated="challenge",
    ),
    "cloudflare 1020": fault(
        "blocked",
        html('<div id="cf-error-details"><h1>Access denied</h1><p>Error 1020. Ray ID: 8c1</p></div>', "Access denied"),
        403,
    ),
    "akamai": fault(
        "blocked",
        html(
            "<h1>Access Denied</h1>You don't have permission to access this page on this server.<p>Reference #18.2f"
            "<p>https://errors.edgesuite.net/18.2f",
            "Access Denied",
        ),
        403,
    ),
    "imperva": fault(
        "blocked",
        html(
            '<iframe src="/_Incapsula_Resource?CWUDNSAI=9">Request unsuccessful. Incapsula incident ID: 4-1</iframe>',
            "",
        ),
    ),
    "datadome": fault(
        "blocked", '{"url":"https://geo.example/captcha"}', 403, Content_Type="application/json", X_DataDome="protected"
    ),
    "vercel": fault(
        "blocked",
        html("<p>We're verifying your browser", "Vercel Security Checkpoint"),
        429,
        X_Vercel_Mitigated="challenge",
    ),
    "anubis": fault(
        "blocked",
        html(
            "<h1>Making sure you&#39;re not a bot!</h1><script"
            ' src="/.within.website/x/cmd/anubis/static/main.mjs"></script>',
            "Making sure you&#39;re not a bot!",
        ),
    ),
    "own words": fault("blocked", html("<h1>You have been blocked</h1><p>Write to us if you think that is wrong.")),
    "own words, around them a site": fault(
        "blocked",
        html(AROUND.format("<h1>Access denied</h1><p>Your address made too many calls."), "Access denied"),
        403,
    ),
    "German": fault(
        "blocked", html("<h1>Zugriff verweigert</h1><p>Ihre IP-Adresse wurde gesperrt.", "Fehler", lang="de"), 403
    ),
    "French": fault("blocked", html("<h1>Accès refusé</h1><p>Votre adresse a été bloquée.", "Erreur", lang="fr"), 403),
    "Spanish": fault(
        "blocked", html("<h1>Acceso denegado</h1><p>Su dirección ha sido bloqueada.", "Error", lang="es"), 403
    ),
    "Russian": fault("blocked", html("<h1>Доступ ограничен</h1><p>Ваш адрес заблокирован.", "Ошибка", lang="ru"), 403),
    "Chinese": fault("blocked", html("<h1>访问被拒绝</h1><p>您的请求已被拦截。", "提示", lang="zh"), 403),
    "Japanese": fault("blocked", html("<h1>アクセスが拒否されました</h1>", "エラー", lang="ja"), 403),
    "Windows-1251": fault(
        "blocked",
        html("<h1>Доступ запрещён</h1>", "Ошибка", lang="ru").encode("cp1251"),
        403,
        Content_Type="text/html; charset=windows-1251",
    ),
}
CAPTCHAS = {
    "recaptcha": fault(
        "captcha",
        html(
            '<h1>Are you a robot?</h1><form method=post><div class="g-recaptcha" data-sitekey="k"></div></form>'
            '<script src="https://www.google.com/recaptcha/api.js"></script>',
            "Security check",
        ),
    ),
    "hcaptcha, refused": fault(
        "captcha", html('<p>One more step</p><div class="h-captcha"></div>', "One more step"), 403
    ),
    "datadome": fault(
        "captcha",
        html(
            "<p>Please enable JS</p><script data-cfasync=false>var"
            " dd={'host':'geo.captcha-delivery.com/captcha'}</script>",
            "shop",
        ),
        403,
    ),
    "human": fault(
        "captcha",
        html(
            '<h1>Press &amp; Hold to confirm you are a human</h1><div id="px-captcha"></div>',
            "Access to this page has been denied",
        ),
        403,
    ),
    "a picture": fault(
        "captcha",
        html(
            '<h4>Enter the characters you see below</h4><form action="/errors/validateCaptcha"><img'
            ' src="/captcha/x.jpg"></form>',
            "shop",
        ),
    ),
    "Chinese": fault("captcha", html('<h1>安全验证</h1><div id="geetest-box">请完成验证</div>', "安全验证", lang="zh")),
    "by a header": fault("captcha", html("<p>", ""), 405, X_Amzn_Waf_Action="captcha"),
}
LIMITS = {
    "429": fault("rate_limited", html("<h1>Too Many Requests</h1>"), 429, Retry_After="7"),
    "503 that says so": fault("rate_limited", html("<h1>Too many requests</h1><p>Slow down, please."), 503),
    "200 that says so": fault("rate_limited", html("<h1>访问过于频繁</h1><p>请稍后再试", "提示", lang="zh")),
}
LOGINS = {
    "401": fault("login_wall", html("<h1>Unauthorized</h1>"), 401, WWW_Authenticate="Basic"),
    "form": fault(
        "login_wall",
        html(
            AROUND.format(
                "<h1>Sign in to go on</h1><form method=post><input name=u><input type=password name=p></form>"
            ),
            "Sign in",
        ),
    ),
    "German": fault(
        "login_wall", html("<h1>Anmelden</h1><form><input name=u><input name=p type='password'></form>", "Mein Konto")
    ),
}
GONE = {
    "title": fault("soft_404", html(AROUND.format("<p>Sorry. Try the search."), "Page not found | Pots & Co")),
    "heading": fault("soft_404", html(AROUND.format("<h1>404</h1><p>We looked everywhere."))),
    "German": fault("soft_404", html(AROUND.format("<h1>Seite nicht gefunden</h1>"), lang="de")),
    "French": fault("soft_404", html("<h1>Page introuvable</h1>", "Casseroles", lang="fr")),
    "Polish": fault("soft_404", html("<h1>Strona nie została znaleziona</h1>", "Garnki", lang="pl")),
    "Japanese": fault("soft_404", html("<h1>お探しのページは見つかりませんでした</h1>", "鍋", lang="ja")),
    "Portuguese": fault("soft_404", html("<h1>Página não encontrada</h1>", "Panelas", lang="pt")),
}
EMPTY = {
    "no body": fault("empty", ""),
    "no text": fault("empty", html("  \n ", "")),
}
ERRORS = {
    "404": fault("error", html("<h1>Not found</h1>"), 404),
    "500": fault("error", html("<h1>Internal Server Error</h1>"), 500),
    "503": fault("error", html("<h1>Down for maintenance</h1>"), 503),
    "403 without a word": fault("error", html("<h1>403 Forbidden</h1><hr>nginx", "403 Forbidden"), 403),
}
FINE = {
    "plain": fault("ok", html(f"<h1>Kettle</h1><p>{TEXT * 20}")),
    "tiny": fault("ok", "<h1>Kettle</h1><p>$5</p>"),
    "text that is no HTML": fault("ok", "User-agent: *\nDisallow: /captcha", Content_Type="text/plain"),
    "talks of captchas": fault(
        "ok",
        html(
            AROUND.format(f"<h1>T-shirt “I am not a robot”</h1><p>$19. {TEXT}The captcha joke is printed on the back."),
            "T-shirt",
        ),
    ),
    "a band named 404": fault(
        "ok",
        html(
            AROUND.format(f"<h1>404</h1><p>404 are a band from Leeds. {TEXT * 30}"),
            "404 (band) – Music archive",
        ),
    ),
    "404 with markup": fault(
        "ok",
        html(
            "<h1>404</h1><p>Album, 2011",
            "404",
            '<script type="application/ld+json">{"@type":"MusicAlbum","name":"404"}</script>',
        ),
    ),
    "login form in its header": fault(
        "ok",
        html(
            "<header><form action=/login><input name=u><input type=password name=p><button>Log in</button></form"
            "></header>"
            "<h1>Kettle</h1><p>$20, in stock",
            "Kettle",
        ),
    ),
    "much script and a state": fault(
        "ok",
        bundle(
            '<div id="__next"></div>',
            after='<script id="__NEXT_DATA__" type="application/json">{"props":{"product":{"name":"Kettle of'
            ' steel, 1.5 litres",'
            '"price":20.5,"sku":"K-1","description":"Boils in four minutes and keeps warm."}}}</script>' + SCRIPT,
        ),
    ),
    "much script and JSON-LD": fault(
        "ok",
        bundle(
            '<div id="root"></div>',
            '<script type="application/ld+json">{"@type":"Product","name":"Kettle"}</script>',
            SCRIPT,
        ),
    ),
    "JSON-LD with escaped keys": fault(
        "ok", '<script type="application/ld+json">{"\\u0040type":"LocalBusiness","name":"Pots"}</script>'
    ),
    "contact form with a puzzle": fault(
        "ok",
        html(
            '<h1>Contact</h1><p>Write to us.<form><textarea name=m></textarea><div class="g-recaptcha"></div></form>'
            '<script src="https://www.google.com/recaptcha/api.js"></script>',
            "Contact",
        ),
    ),
    "a vendor's script on every page": fault(
        "ok",
        html(
            f'<h1>Kettle</h1><p>{TEXT * 3}</p><script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>'
            '<script src="/_Incapsula_Resource?SWJIYLWA=719"></script>'
        ),
    ),
    "noscript for a counter": fault(
        "ok", html(f'<noscript><img src="https://c.example/n.gif"></noscript><h1>Kettle</h1><p>{TEXT}</p>{SCRIPT}')
    ),
    "noscript that asks, on a page that is there": fault(
        "ok", html(f"<noscript>Please enable JavaScript.</noscript><h1>Kettle</h1><p>{TEXT * 8}</p>{SCRIPT}")
    ),
    "gallery": fault("ok", html("".join(f"<img src=/{n}.jpg>" for n in range(30)) + SCRIPT, "Pots of 1911")),
    "access denied is a film": fault(
        "ok", html(AROUND.format(f"<h1>Access Denied</h1><p>A film. {TEXT * 8}"), "Access Denied (1997)")
    ),
    "commented out": fault("ok", html(f"<!-- <h1>Page not found</h1> --><h1>Kettle</h1><p>{TEXT}")),
    "latin-1": fault(
        "ok", html(f"<h1>Théière</h1><p>{TEXT}").encode("latin-1"), Content_Type="text/html; charset=latin-1"
    ),
}
ALL = {
    f"{group}: {name}": found
    for group, pages in (
        ("shell", SHELLS), ("block", BLOCKS), ("captcha", CAPTCHAS), ("limit", LIMITS), ("login", LOGINS),
        ("gone", GONE), ("empty", EMPTY), ("error", ERRORS), ("fine", FINE),
    )
    for name, found in pages.items()
}  # fmt: skip
