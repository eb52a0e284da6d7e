"""Gives every generated request an access token of the administrator, who stays what they are during the run.

The checks allow what the document cannot express."""

import json
import os
import urllib.error
import urllib.request

import schemathesis
from schemathesis.specs.openapi.checks import negative_data_rejection, response_schema_conformance

AUTH = os.environ["RAPPORT_ORIGIN"] + "/kw/api/v1/auth/"


def post(route, body):
    request = urllib.request.Request(AUTH + route, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def log_in(login):
    return post("login", {"login": login, "password": "rapport-demo"})


def token_to_end():
    """Logging out may end all sessions of a user, so it is another one, whom the run may have blocked already."""
    try:
        return log_in("analyst")["accessToken"]
    except urllib.error.HTTPError:
        return "ended"


SESSION = log_in("administrator")
OWN_ID = SESSION["user"]["id"]


@schemathesis.check
def whole_rows_conformance(context, response, case):
    """The document describes whole records, and `fields` leaves members out of the rows of a list."""
    return None if "fields" in (case.query or {}) else response_schema_conformance(context, response, case)


def has_repeats(value):
    if isinstance(value, dict):
        return any(has_repeats(member) for member in value.values())
    items = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return len({json.dumps(item) for item in items}) < len(items)


@schemathesis.check
def distinct_data_rejection(context, response, case):
    """Equal values of an array count once (contract 1.3), but more of them than maxItems violate the document."""
    if has_repeats(dict(case.query or {})) or has_repeats(case.body):
        return None
    return negative_data_rejection(context, response, case)


@schemathesis.auth(refresh_interval=300)
class Login:
    def get(self, case, context):
        return log_in("administrator")["accessToken"]

    def set(self, case, data, context):
        token = token_to_end() if case.operation.path.endswith("/auth/logout") else data
        # The user of the run is neither blocked nor given another password or other roles by it.
        if "/users/{id}" in case.operation.path and str(case.path_parameters.get("id")) == str(OWN_ID):
            case.path_parameters["id"] = OWN_ID + 1
        # A read that is given little time may rightly end in 503.
        if isinstance(case.body, dict) and isinstance(case.body.get("timeoutMs"), int) and 50 <= case.body["timeoutMs"] <= 5000:
            case.body["timeoutMs"] = 5000
        case.headers = {**(case.headers or {}), "authorization": f"Bearer {token}"}
