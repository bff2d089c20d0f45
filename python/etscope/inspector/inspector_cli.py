"""Upstream's command line: python -m etscope.inspector.inspector_cli; etscope inspect has more."""

import argparse
import sys

from etscope._errors import Error
from etscope.inspector import Inspector, TimeScale, compare_results


def _parse(arguments):
    scales = [scale.value for scale in TimeScale]
    parser = argparse.ArgumentParser(prog="python -m etscope.inspector.inspector_cli")
    parser.add_argument("--etdump_path", required=True, help="the trace")
    parser.add_argument("--etrecord_path", help="the ETRecord of the export")
    parser.add_argument("--debug_buffer_path", help="the captured tensors")
    parser.add_argument("--source_time_scale", choices=scales, default="ns", help="default: ns")
    parser.add_argument("--target_time_scale", choices=scales, default="ms", help="default: ms")
    parser.add_argument("--tsv_path", help="also write the table to this file")
    parser.add_argument(
        "--compare_results", action="store_true",
        help="also print how far the outputs lie from the record's reference outputs",
    )  # fmt: skip
    return parser.parse_args(arguments)


def main(arguments=None):
    options = _parse(arguments)
    try:
        inspector = Inspector(
            etdump_path=options.etdump_path,
            etrecord=options.etrecord_path,
            debug_buffer_path=options.debug_buffer_path,
            source_time_scale=TimeScale(options.source_time_scale),
            target_time_scale=TimeScale(options.target_time_scale),
        )
        inspector.print_data_tabular()
        if options.tsv_path:
            inspector.save_data_to_tsv(options.tsv_path)
        if options.compare_results:
            for block in inspector.event_blocks:
                if block.name == "Execute":
                    compare_results(block.reference_output, block.run_output)
    except (Error, ValueError, OSError) as error:
        print(f"etscope: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
