"""Gives every generated request an access token of the administrator; logging out ends a session of its own.

The password is used at the start alone: generated requests may change it. Later tokens come by refresh.
"""

import json
import os
import urllib.request

import schemathesis

AUTH = os.environ["RAPPORT_ORIGIN"] + "/kw/api/v1/auth/"


def post(route, body):
    request = urllib.request.Request(AUTH + route, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def log_in():
    return post("login", {"login": "administrator", "password": "rapport-demo"})


SESSION = log_in()
TO_LOG_OUT = log_in()["accessToken"]


@schemathesis.auth(refresh_interval=300)
class Login:
    def get(self, case, context):
        SESSION.update(post("refresh", {"refreshToken": SESSION["refreshToken"]}))
        return SESSION["accessToken"]

    def set(self, case, data, context):
        token = TO_LOG_OUT if case.operation.path.endswith("/auth/logout") else data
        case.headers = {**(case.headers or {}), "authorization": f"Bearer {token}"}
