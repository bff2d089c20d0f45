_etscope() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
  local words=''
  case ${COMP_WORDS[1]}:$prev in
    profile:--etrecord) ;;
    profile:--runs|profile:-r) compopt +o default 2>/dev/null ;;
    profile:--trace|profile:-o) ;;
    profile:--format|profile:-f) words='table tsv csv json jsonl markdown' ;;
    profile:--group-by|profile:-g) words='none op module source backend' ;;
    profile:--sort|profile:-s) words='order time max calls name' ;;
    profile:--top|profile:-n) compopt +o default 2>/dev/null ;;
    profile:--columns|profile:-c) compopt +o default 2>/dev/null ;;
    profile:--unit) words='ns us ms s' ;;
    profile:--width) compopt +o default 2>/dev/null ;;
    profile:--output) ;;
    profile:--method|profile:-m) compopt +o default 2>/dev/null ;;
    profile:--input|profile:-i) ;;
    profile:--case) compopt +o default 2>/dev/null ;;
    profile:--inputs) words='auto case etrecord zeros ones random' ;;
    profile:--seed) compopt +o default 2>/dev/null ;;
    profile:--range) compopt +o default 2>/dev/null ;;
    profile:--int-range) compopt +o default 2>/dev/null ;;
    profile:--warmup) compopt +o default 2>/dev/null ;;
    profile:--threads) compopt +o default 2>/dev/null ;;
    profile:--data) ;;
    profile:--load-library) ;;
    profile:--engine) ;;
    profile:--capture) words='none outputs intermediates' ;;
    profile:--debug-buffer) ;;
    profile:--debug-buffer-size) compopt +o default 2>/dev/null ;;
    profile:--tracer) words='etscope upstream none' ;;
    profile:--outputs) ;;
    profile:--block) compopt +o default 2>/dev/null ;;
    profile:--run) compopt +o default 2>/dev/null ;;
    inspect:--etrecord|inspect:--etrecord_path) ;;
    inspect:--program) ;;
    inspect:--debug-buffer|inspect:--debug_buffer_path) ;;
    inspect:--method) compopt +o default 2>/dev/null ;;
    inspect:--block) compopt +o default 2>/dev/null ;;
    inspect:--run) compopt +o default 2>/dev/null ;;
    inspect:--format|inspect:-f) words='table tsv csv json jsonl markdown' ;;
    inspect:--group-by|inspect:-g) words='none op module source backend' ;;
    inspect:--sort|inspect:-s) words='order time max calls name' ;;
    inspect:--top|inspect:-n) compopt +o default 2>/dev/null ;;
    inspect:--columns|inspect:-c) compopt +o default 2>/dev/null ;;
    inspect:--unit) words='ns us ms s' ;;
    inspect:--width) compopt +o default 2>/dev/null ;;
    inspect:--output) ;;
    inspect:--etdump|inspect:--etdump_path) ;;
    inspect:--source-time-scale|inspect:--source_time_scale) words='ns us ms s cycles' ;;
    inspect:--target-time-scale|inspect:--target_time_scale) words='ns us ms s cycles' ;;
    inspect:--tsv-path|inspect:--tsv_path) ;;
    inspect:--case) compopt +o default 2>/dev/null ;;
    tensors:--debug-buffer|tensors:--debug_buffer_path) ;;
    tensors:--etrecord|tensors:--etrecord_path) ;;
    tensors:--program) ;;
    tensors:--method) compopt +o default 2>/dev/null ;;
    tensors:--block) compopt +o default 2>/dev/null ;;
    tensors:--run) compopt +o default 2>/dev/null ;;
    tensors:--event) compopt +o default 2>/dev/null ;;
    tensors:--columns|tensors:-c) compopt +o default 2>/dev/null ;;
    tensors:--save) compopt +o default 2>/dev/null ;;
    tensors:--format|tensors:-f) words='table tsv csv json jsonl markdown' ;;
    tensors:--width) compopt +o default 2>/dev/null ;;
    tensors:--output) ;;
    sql:--etrecord|sql:--etrecord_path) ;;
    sql:--program) ;;
    sql:--debug-buffer|sql:--debug_buffer_path) ;;
    sql:--method) compopt +o default 2>/dev/null ;;
    sql:--to) ;;
    sql:--format|sql:-f) words='table tsv csv json jsonl markdown' ;;
    sql:--width) compopt +o default 2>/dev/null ;;
    sql:--output) ;;
    sql:--source-time-scale|sql:--source_time_scale) words='ns us ms s cycles' ;;
    run:--trace|run:-o) ;;
    run:--runs|run:-r) compopt +o default 2>/dev/null ;;
    run:--etrecord) ;;
    run:--method|run:-m) compopt +o default 2>/dev/null ;;
    run:--input|run:-i) ;;
    run:--case) compopt +o default 2>/dev/null ;;
    run:--inputs) words='auto case etrecord zeros ones random' ;;
    run:--seed) compopt +o default 2>/dev/null ;;
    run:--range) compopt +o default 2>/dev/null ;;
    run:--int-range) compopt +o default 2>/dev/null ;;
    run:--warmup) compopt +o default 2>/dev/null ;;
    run:--threads) compopt +o default 2>/dev/null ;;
    run:--data) ;;
    run:--load-library) ;;
    run:--engine) ;;
    run:--capture) words='none outputs intermediates' ;;
    run:--debug-buffer) ;;
    run:--debug-buffer-size) compopt +o default 2>/dev/null ;;
    run:--tracer) words='etscope upstream none' ;;
    run:--outputs) ;;
    recover:--output|recover:-o) ;;
    recover:--encoding) words='auto raw hex base64' ;;
    recover:--part) compopt +o default 2>/dev/null ;;
    recover:--program) ;;
    recover:--etrecord) ;;
    recover:--format|recover:-f) words='table json' ;;
    delegates:--etrecord) ;;
    delegates:--method) compopt +o default 2>/dev/null ;;
    delegates:--format|delegates:-f) words='table tsv csv json jsonl markdown' ;;
    delegates:--unit) words='ns us ms s' ;;
    delegates:--width) compopt +o default 2>/dev/null ;;
    delegates:--output) ;;
    delegates:--source-time-scale|delegates:--source_time_scale) words='ns us ms s cycles' ;;
    info:--format|info:-f) words='table json' ;;
    doctor:--format|doctor:-f) words='table json' ;;
    doctor:--load-library) ;;
    help:--completion) words='bash zsh fish' ;;
    *)
      case ${COMP_WORDS[1]} in
        profile) words='-h --help --etrecord --runs -r --trace -o --format -f --group-by -g --sort -s --top -n --all --tree --steady --columns -c --subtract-overhead --unit --width --output --method -m --input -i --case --inputs --seed --range --int-range --warmup --threads --data --load-library --engine --capture --debug-buffer --debug-buffer-size --tracer --outputs --block --run --allow-mismatch' ;;
        inspect) words='-h --help --etrecord --etrecord_path --program --debug-buffer --debug_buffer_path --method --block --run --format -f --group-by -g --sort -s --top -n --all --tree --steady --columns -c --subtract-overhead --unit --width --output --partial --allow-mismatch --etdump --etdump_path --source-time-scale --source_time_scale --target-time-scale --target_time_scale --tsv-path --tsv_path --compare-results --compare_results --case' ;;
        tensors) words='-h --help --debug-buffer --debug_buffer_path --etrecord --etrecord_path --program --method --block --run --event --only-outputs --columns -c --save --format -f --width --output --partial --allow-mismatch' ;;
        sql) words='-h --help --etrecord --etrecord_path --program --debug-buffer --debug_buffer_path --method --to --schema --format -f --width --output --source-time-scale --source_time_scale --subtract-overhead --partial --allow-mismatch' ;;
        run) words='-h --help --trace -o --runs -r --etrecord --method -m --input -i --case --inputs --seed --range --int-range --warmup --threads --data --load-library --engine --capture --debug-buffer --debug-buffer-size --tracer --outputs' ;;
        recover) words='-h --help --output -o --encoding --part --program --etrecord --format -f' ;;
        delegates) words='-h --help --etrecord --method --calls --format -f --unit --width --output --source-time-scale --source_time_scale --partial --allow-mismatch' ;;
        info) words='-h --help --format -f --all' ;;
        doctor) words='-h --help --format -f --load-library' ;;
        help) words='-h --help --man --completion' ;;
      esac ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='profile inspect tensors sql run recover delegates info doctor help --help --version'
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _etscope etscope
