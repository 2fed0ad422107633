"""Pages whose declared encoding is none for text (`charset=base64`) are read as if it were not declared."""

from __future__ import annotations

from scrapy import Request
from scrapy.http import Response, TextResponse

from scraping_ai.extraction.decoding import encoding_of, text_codec


class EncodingMiddleware:
    """Python knows codecs that decode no page, and Scrapy would take their word and lose the page by their errors."""

    def process_response(self, request: Request, response: Response) -> Response:
        if not isinstance(response, TextResponse) or text_codec(response.encoding) is not None:
            return response
        return response.replace(encoding=encoding_of(response.body))
