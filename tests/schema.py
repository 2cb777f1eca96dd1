"""Compares JSON with its schemas: `FOURBASE_JSON=FILE cargo test --workspace`, then `python3 tests/schema.py FILE`.

The tests write every line of the program and every answer of the server that they read into FILE. The examples of docs/reference/json.md are
compared too. Needs the module jsonschema, of which `.ci/run` installs a version.
"""

import json
import pathlib
import re
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    sys.exit(print("skipped: the JSON schemas; they need Python's jsonschema (pip install jsonschema)"))

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCHEMA = json.loads((ROOT / "docs/fourbase.schema.json").read_text())
LINES = Draft202012Validator(SCHEMA)
COMMANDS = [LINES.evolve(schema={**line, "$defs": SCHEMA["$defs"]}) for line in SCHEMA["oneOf"]]


def examples():
    """Reads what the commands of docs/reference/json.md print: an object, over several lines, after a line that begins with $."""
    for block in re.findall(r"```console\n(.*?)```", (ROOT / "docs/reference/json.md").read_text(), re.DOTALL):
        for command in block.split("$ ")[1:]:
            _, output = command.split("\n", 1)
            if output.strip():
                yield json.JSONDecoder().raw_decode(output)[0]


def fits(validator, value, what):
    """Ends the program if a value does not fit."""
    errors = list(validator.iter_errors(value))
    if errors and validator is LINES:
        # The faults by the nearest definition say more.
        errors = min((list(of.iter_errors(value)) for of in COMMANDS), key=len) or errors
    if errors:
        sys.exit(f"{what}: {errors[0].json_path}: {errors[0].message}\n{json.dumps(value)}")


def fits_not(validator, value, what, changes):
    """Ends the program if a value fits after changes as well; None takes a field out."""
    wrong = {key: field for key, field in {**value, **changes}.items() if key not in changes or field is not None}
    if validator.is_valid(wrong):
        sys.exit(f"{what}: fits with {changes}")


def check_lines(lines):
    """All lines and examples fit, every definition has one of them, and no field of that one can be left out or added."""
    found = [(example, "docs/reference/json.md") for example in examples()] + [(line, line.get("command")) for line in lines]
    for line, what in found:
        fits(LINES, line, what)
    for of_command in COMMANDS:
        first = next((of for of in found if of_command.is_valid(of[0])), None)
        if first is None:
            sys.exit(f"neither docs/reference/json.md nor a test has a line of {of_command.schema['$ref']}")
        # `input` is there in a batch alone.
        for key in first[0].keys() - {"input"}:
            fits_not(LINES, *first, {key: None})
        fits_not(LINES, *first, {"values": "wdl"})


def check_answers(description, answers):
    """Answers of the server are as its own description says."""
    for answer in answers:
        responses = description["paths"][answer["path"]][answer["method"]]["responses"]
        response = responses.get(str(answer["status"])) or responses["default"]
        if "$ref" in response:
            response = description["components"]["responses"][response["$ref"].split("/")[-1]]
        schema = response["content"][answer["media"]]["schema"]
        validator = Draft202012Validator({**schema, "components": description["components"]})
        fits(validator, answer["body"], answer["path"])
        if answer["path"] == "/move" and answer["status"] == 200:
            for change in [{"column": 0}, {"seed": "1"}, {"board": "7"}, {"more": 1}]:
                fits_not(validator, answer["body"], "/move", change)


def main():
    # Each line once.
    seen = [json.loads(line) for line in sorted(set(pathlib.Path(sys.argv[1]).read_text().splitlines()))]
    descriptions = [line["description"] for line in seen if "description" in line]
    answers = [line["answer"] for line in seen if "answer" in line]
    lines = [line for line in seen if "description" not in line and "answer" not in line]
    check_lines(lines)
    check_answers(descriptions[0], answers)
    print(f"{len(lines)} lines and {len(answers)} answers fit their schemas")


main()
