# Tests of the command line that another processor's is not asked for (`make test-long`): each of them
# would be skipped, or take minutes in an emulator.
set(not_emulated
  # programs are run, which needs the engine
  test_agreement test_backend test_bundle test_gap test_gap_formats test_gap_language test_gap_mistakes test_generate
  test_generation_cases test_input_shapes test_large_language_files test_layer_quality test_line_errors
  test_profile test_profile_recordings test_profile_threads test_run test_run_mistakes
  test_run_traces test_snippets test_stage_reads test_tap test_verdicts test_verify
  test_write_smaller
  # what is asked is this machine, its builds or other programs
  test_build_engine test_builds_agree test_man test_open test_readme test_release test_report_follow
  test_target test_target_arm64 test_target_ssh test_usage test_windows
  # thousands of calls, or files that ask for much
  test_bombs test_bombs_everywhere test_cost test_faults_everywhere test_headline_numbers
  test_json_beside_python test_long_work test_processors)
