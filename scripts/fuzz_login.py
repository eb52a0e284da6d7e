"""Gives every generated request an access token of the administrator; logging out ends a session of its own."""

import json
import os
import urllib.request

import schemathesis

LOGIN = os.environ["RAPPORT_ORIGIN"] + "/kw/api/v1/auth/login"
BODY = json.dumps({"login": "administrator", "password": "rapport-demo"}).encode()


def log_in():
    request = urllib.request.Request(LOGIN, BODY, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["accessToken"]


@schemathesis.auth(refresh_interval=300)
class Login:
    def get(self, case, context):
        return log_in()

    def set(self, case, data, context):
        token = log_in() if case.operation.path.endswith("/auth/logout") else data
        case.headers = {**(case.headers or {}), "authorization": f"Bearer {token}"}
