"""What users ask of the kinds of things that schema.org describes, by the names that they give their fields."""

from __future__ import annotations

import json
from typing import Any

import pytest
from extraction.proof import unproved

from scraping_ai.extraction import Extractor


def records(thing: dict[str, Any], schema: Any) -> list[dict[str, Any]]:
    name = thing.get("name") or thing.get("title") or "Help"
    html = f"""<title>{name}</title><h1>{name}</h1>
        <script type="application/ld+json">{json.dumps(thing)}</script>"""
    result = Extractor(schema).extract(html, "https://site.example/page")
    assert unproved(result, html) == []
    return result.records


SALARY = {"currency": "EUR", "value": {"@type": "QuantitativeValue", "minValue": 60000, "maxValue": 80000}}
ADDRESS = {"@type": "PostalAddress", "streetAddress": "1 Main St", "addressLocality": "Leeds", "addressRegion": "WY"}
JOB = {
    "@type": "JobPosting",
    "title": "Engineer",
    "identifier": {"@type": "PropertyValue", "name": "Acme", "value": "J-1"},
    "hiringOrganization": {"@type": "Organization", "name": "Acme", "sameAs": "https://acme.example"},
    "jobLocation": {"@type": "Place", "address": ADDRESS},
    "baseSalary": SALARY,
    "employmentType": "FULL_TIME",
    "validThrough": "2026-04-30",
    "jobLocationType": "TELECOMMUTE",
}
EVENT = {
    "@type": "MusicEvent",
    "name": "Spring Concert",
    "startDate": "2026-05-01T19:30+02:00",
    "doorTime": "2026-05-01T18:30+02:00",
    "eventStatus": "https://schema.org/EventScheduled",
    "location": {"@type": "Place", "name": "Town Hall", "address": ADDRESS, "geo": {"latitude": 53.8}},
    "offers": {"@type": "AggregateOffer", "lowPrice": "20", "highPrice": "45", "url": "https://tix.example/1"},
    "performer": [{"@type": "Person", "name": "Ann Lee"}, {"@type": "Person", "name": "Bob Day"}],
}
HOURS = [
    {"dayOfWeek": ["Monday", "Tuesday"], "opens": "09:00", "closes": "17:00"},
    {"dayOfWeek": "https://schema.org/Saturday", "opens": "10:00", "closes": "14:00"},
]
PLACE = {
    "@type": "Restaurant",
    "name": "Luigi's",
    "address": ADDRESS,
    "openingHoursSpecification": HOURS,
    "menu": "https://luigis.example/menu",
    "aggregateRating": {"ratingValue": 4.6, "ratingCount": 210, "reviewCount": 88},
}
PERSON = {"@type": "Person", "name": "Ann Lee", "jobTitle": "Professor", "worksFor": {"name": "Leeds University"}}
CAR = {
    "@type": "Car",
    "name": "2018 Ford Focus",
    "brand": {"name": "Ford"},
    "vehicleModelDate": "2018-03",
    "mileageFromOdometer": {"@type": "QuantitativeValue", "value": "42000", "unitCode": "SMI"},
    "itemCondition": "https://schema.org/UsedCondition",
    "additionalProperty": [{"@type": "PropertyValue", "name": "Gearbox", "value": "Manual"}],
}
FLAT = {
    "@type": "Apartment",
    "name": "Flat in Leeds",
    "numberOfBedrooms": 2,
    "floorSize": {"@type": "QuantitativeValue", "value": 75, "unitCode": "MTK"},
    "amenityFeature": [{"name": "Parking", "value": True}],
}
VIDEO = {
    "@type": "VideoObject",
    "name": "How to knit",
    "author": {"name": "KnitWit"},
    "interactionStatistic": [
        {"interactionType": {"@type": "WatchAction"}, "userInteractionCount": 5647},
        {"interactionType": "https://schema.org/LikeAction", "userInteractionCount": 12},
    ],
}
FAQ = {
    "@type": "FAQPage",
    "mainEntity": [
        {"@type": "Question", "name": "Free?", "acceptedAnswer": {"@type": "Answer", "text": "Yes."}},
        {"@type": "Question", "name": "Refunds?", "acceptedAnswer": {"@type": "Answer", "text": "Within 30 days."}},
    ],
}


@pytest.mark.parametrize(
    ("thing", "fields", "expected"),
    [
        (JOB, "company, company_name, company_url:url", ["Acme", "Acme", "https://acme.example"]),
        (JOB, "salary_min:number, max_salary:integer, salary_currency", [60000, 80000, "EUR"]),
        (JOB, "job_title, job_type, deadline:date, city", ["Engineer", "FULL_TIME", "2026-04-30", "Leeds"]),
        (JOB, "job_id, remote:boolean, salary", ["J-1", True, None]),
        (EVENT, "date:date, doors_open:datetime", ["2026-05-01", "2026-05-01T18:30:00+02:00"]),
        (EVENT, "venue_name, state, lat:number", ["Town Hall", "WY", 53.8]),
        (EVENT, "min_price:number, max_price:number, ticket_url:url", [20, 45, "https://tix.example/1"]),
        (EVENT, "artists:string[], event_status", [["Ann Lee", "Bob Day"], "EventScheduled"]),
        (PLACE, "address, menu_url", ["1 Main St, Leeds, WY", "https://luigis.example/menu"]),
        (PLACE, "hours, rating_count:integer", ["Monday, Tuesday 09:00-17:00\nSaturday 10:00-14:00", 210]),
        (PLACE, "opening_hours:string[]", [["Monday, Tuesday 09:00-17:00", "Saturday 10:00-14:00"]]),
        (PERSON, "name, job_title, employer", ["Ann Lee", "Professor", "Leeds University"]),
        (CAR, "make, year:integer, odometer:integer", ["Ford", 2018, 42000]),
        (CAR, "condition, transmission", ["Used", "Manual"]),
        (FLAT, "beds:integer, area_sqm:number, area_sqft:number", [2, 75, None]),
        (FLAT, "amenities:string[]", [["Parking"]]),
        (PERSON, "name, title", ["Ann Lee", "Ann Lee"]),
        (VIDEO, "channel, views:integer, likes:integer", ["KnitWit", 5647, 12]),
        (FAQ, "questions:string[]", [["Free?", "Refunds?"]]),
    ],
)
def test_fields_of_things(thing: dict[str, Any], fields: str, expected: list[Any]) -> None:
    assert list(records(thing, fields)[0].values()) == expected


def test_questions_and_answers() -> None:
    pair = {"type": "object", "properties": {"question": {"type": "string"}, "answer": {"type": "string"}}}
    expected = [{"question": "Free?", "answer": "Yes."}, {"question": "Refunds?", "answer": "Within 30 days."}]
    assert records(FAQ, {"type": "array", "items": pair}) == expected
    inside = {"type": "object", "properties": {"faqs": {"type": "array", "items": pair}}}
    assert records(FAQ, inside) == [{"faqs": expected}]


def test_a_thing_has_the_offer_that_names_it_and_what_its_listing_says() -> None:
    listing = {"@type": "RealEstateListing", "name": "Flat in Leeds", "datePosted": "2026-02-01", "mainEntity": FLAT}
    listing["offers"] = {"@type": "Offer", "price": 250000}
    offer = {"@type": "Offer", "name": "Flat in Leeds", "price": 250000, "itemOffered": FLAT}
    expected = {"title": "Flat in Leeds", "bedrooms": 2, "price": 250000, "date_posted": "2026-02-01"}
    fields = "title, bedrooms:integer, price:number, date_posted:date"
    assert records(listing, fields) == [expected]
    assert records(offer, fields) == [{**expected, "date_posted": None}]


def test_objects_of_what_markup_nests_deeper() -> None:
    number, text = {"type": "number"}, {"type": "string"}
    salary = {"type": "object", "properties": {"min": number, "max": number, "currency": text}}
    location = {"type": "object", "properties": {"city": text, "region": text}}
    schema = {"type": "object", "properties": {"salary": salary, "location": location}}
    expected = {
        "salary": {"min": 60000, "max": 80000, "currency": "EUR"},
        "location": {"city": "Leeds", "region": "WY"},
    }
    assert records(JOB, schema) == [expected]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [("name, job_title", ["Ann Lee", "Professor"]), ("job_title, company", ["Ann Lee", "Leeds University"])],
)
def test_a_job_title_beside_a_name_is_what_a_label_says(fields: str, expected: list[str]) -> None:
    html = "<title>Ann Lee</title><h1>Ann Lee</h1><p>Job title: Professor</p><p>Company: Leeds University</p>"
    assert list(Extractor(fields).extract(html).records[0].values()) == expected


def test_a_company_name_beside_a_title_is_the_companys() -> None:
    html = "<title>Cook</title><h1>Cook</h1><p>Company: Acme</p>"
    assert list(Extractor("job_title, company_name").extract(html).records[0].values()) == ["Cook", "Acme"]
    card = "<div class=job><h3><a href=/{0}>{0}</a></h3><p class=company>{1}</p></div>"
    jobs = (("Cook", "Acme"), ("Nurse", "Bond"), ("Baker", "Crew"), ("Guard", "Dale"))
    html = "<h1>Jobs</h1>" + "".join(card.format(*job) for job in jobs)
    fields = {"job_title": {"type": "string"}, "company_name": {"type": "string"}}
    found = Extractor({"type": "array", "items": {"type": "object", "properties": fields}}).extract(html).records
    assert [list(one.values()) for one in found] == [list(job) for job in jobs]


def test_a_company_name_beside_what_only_jobs_have_is_the_companys() -> None:
    html = "<title>Cook</title><h1>Cook</h1><p>Company: Acme</p><p>Salary: £30,000</p>"
    assert list(Extractor("company_name, salary").extract(html).records[0].values()) == ["Acme", "£30,000"]
    alone = Extractor("company_name, phone").extract("<title>Acme</title><h1>Acme</h1>")
    assert alone.records[0]["company_name"] == "Acme"
