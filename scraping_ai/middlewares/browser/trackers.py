"""Hosts that count visitors and show advertisements; a page reads the same without them."""

HOSTS = """
google-analytics.com googletagmanager.com googlesyndication.com doubleclick.net googleadservices.com
adservice.google.com connect.facebook.net bat.bing.com clarity.ms hotjar.com hotjar.io mouseflow.com fullstory.com
segment.io cdn.segment.com mixpanel.com amplitude.com heapanalytics.com optimizely.com nr-data.net js-agent.newrelic.com
browser-intake-datadoghq.com ingest.sentry.io criteo.com criteo.net taboola.com outbrain.com amazon-adsystem.com
adnxs.com pubmatic.com rubiconproject.com scorecardresearch.com quantserve.com chartbeat.com chartbeat.net
analytics.tiktok.com snap.licdn.com ads.linkedin.com ct.pinterest.com analytics.twitter.com static.ads-twitter.com
mc.yandex.ru hm.baidu.com etracker.com matomo.cloud plausible.io
""".split()
PATTERNS = [pattern for host in HOSTS for pattern in (f"*://{host}/*", f"*://*.{host}/*")]
