/* Recognizes a program that takes tokens, and looks for its weights. */
#include "cli/tokens/token_program.h"

#include "cli/tokens/token_options.h"

enum { DESCRIPTION_CHARS = 2048 };

int cli_recognize_tokens(const struct cli_session *session, const char *title,
                         struct ets_token_model *model_out)
{
    struct ets_token_choice choice;
    struct ets_error error;
    char room[DESCRIPTION_CHARS];
    struct ets_text_builder text = {room, sizeof room, 0};
    const int code = cli_token_choice(session->arguments, &choice);
    if (code != CLI_OK) return code;
    if (ets_token_model_recognize(&session->model.program, &choice, model_out, &error) != ETS_OK) {
        return cli_fail(session->path, &error);
    }
    ets_token_model_describe(model_out, &text);
    cli_note("%s: %s", title, room);
    return CLI_OK;
}

int cli_check_token_data(const struct cli_session *session, const struct ets_token_model *model)
{
    const struct ets_method *methods[] = {&model->prefill.method, &model->decode.method};
    const char *option = session->data_option != NULL ? session->data_option : "--data";
    if (cli_has(session->arguments, option)) return CLI_OK;
    for (size_t m = 0; m < 2; m++) {
        for (uint32_t i = 0; i < methods[m]->value_count; i++) {
            struct ets_evalue value;
            ets_method_value(methods[m], i, &value);
            if (value.kind != ETS_EVALUE_TENSOR ||
                value.tensor.place < ETS_PLACE_EXTERNAL_CONSTANT) {
                continue;
            }
            return cli_complain(CLI_INPUT,
                                "%s: weights such as %.*s are in a data file: give it with %s "
                                "FILE.ptd",
                                session->path, ETS_TEXT(value.tensor.qualified_name), option);
        }
    }
    return CLI_OK;
}

bool cli_tokens_need_inputs(const struct ets_token_model *model)
{
    for (uint32_t i = 0; i < model->feed_count; i++) {
        if (!ets_token_feed_is_handed_on(model, &model->feeds[i])) return true;
    }
    return false;
}
