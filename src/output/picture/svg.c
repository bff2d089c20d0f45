/* What the SVG pictures share: a head with colours for light and dark, and the headline. */
#include "output/picture/svg.h"

#include <string.h>

#include "output/text/xml_text.h"

static void put_string(struct ets_output *output, const char *text)
{
    ets_output_write(output, text, strlen(text));
}

void ets_svg_begin(struct ets_output *output, int width, int height, const char *title,
                   const char *light, const char *dark)
{
    ets_output_print(output,
                     "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" ", width,
                     height);
    ets_output_print(output, "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n",
                     width, height);
    put_string(output,
               "<style>svg{background:#fff;color:#222}text,.head text{fill:currentColor}.small{"
               "font-size:10px;opacity:.75}.grid{stroke:currentColor;opacity:.15}");
    put_string(output, light);
    put_string(output,
               "@media screen and (prefers-color-scheme:dark){svg{background:#16191d;color:#ddd}");
    put_string(output, dark);
    put_string(output, "}</style>\n<title>");
    put_string(output, title);
    put_string(output, "</title>\n");
}

void ets_svg_end(struct ets_output *output)
{
    put_string(output, "</svg>\n");
}

static void put_bold(struct ets_output *output, int y, struct ets_text text)
{
    ets_output_print(output, "<text x=\"8\" y=\"%d\" font-weight=\"bold\">", y);
    ets_xml_put_text(output, text);
    put_string(output, "</text>\n");
}

void ets_svg_put_headline(struct ets_output *output, struct ets_text text)
{
    enum { MOST = 130 };
    size_t cut = text.size < MOST ? text.size : MOST;
    while (cut < text.size && cut > 0 && text.data[cut] != ' ') cut--;
    if (cut == 0) cut = text.size;
    put_string(output, "<g class=\"head\"><title>");
    ets_xml_put_text(output, text);
    put_string(output, "</title>");
    put_bold(output, cut < text.size ? 12 : 20, (struct ets_text){text.data, cut});
    if (cut < text.size) {
        put_bold(output, 26, (struct ets_text){text.data + cut + 1, text.size - cut - 1});
    }
    put_string(output, "</g>\n");
}
