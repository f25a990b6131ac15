// What one sees of the page of a sweep, on the screen and on paper.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/support/png_blocks.h"
#include "tests/support/report_page.h"

namespace heliolite::report_looks_test {
namespace {

using ::testing::IsEmpty;
using ::testing::Ne;
using testing::ReportBrowser;

// What one sees of the page, in blocks of 40 pixels, against references that were looked at. HELIOLITE_WRITE_PICTURES=1
// writes them anew.
TEST_F(ReportBrowser, LooksAsItDid) {
  struct Look {
    const char* name;
    const char* flags;
    std::string page;
  };
  const std::string page = folder_.path("report.html");
  for (const Look& look : {Look{"light", "--window-size=1280,4000", page},
                           {"dark", "--window-size=1280,4000 --blink-settings=preferredColorScheme=0", page},
                           {"narrow", "--window-size=520,4000", page},
                           {"print", "--window-size=700,4000", page_on_paper()}}) {
    const std::string shot = folder_.path("shot.png");
    const BrowserRun run =
        open_in_chromium(look.page, std::string(look.flags) + " --hide-scrollbars --screenshot=" + shot);
    ASSERT_TRUE(run.loaded);
    EXPECT_THAT(run.console, IsEmpty());
    const std::string blocks = blocks_text(png_picture(read_text(shot)));
    ASSERT_THAT(blocks, Ne(""));
    const std::string file = std::string(HELIOLITE_TEST_DATA) + "/report/pictures/" + look.name + ".txt";
    if (std::getenv("HELIOLITE_WRITE_PICTURES") != nullptr) std::ofstream(file) << blocks;
    // Fonts and browsers place letters and lines otherwise; a chart that is missing is a tenth of the page.
    EXPECT_LT(differing_blocks(blocks, read_text(file), 40), 0.06) << look.name;
  }
}

std::size_t occurrences(const std::string& text, const std::string& what) {
  std::size_t out = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++out;
  return out;
}

// On paper: some pages of its size, with the charts. In a dark window, for paper is white.
TEST_F(ReportBrowser, Prints) {
  const std::string file = folder_.path("report.pdf");
  const BrowserRun run =
      open_in_chromium(folder_.path("report.html"),
                       "--no-pdf-header-footer --blink-settings=preferredColorScheme=0 --print-to-pdf=" + file);
  ASSERT_TRUE(run.loaded);
  EXPECT_THAT(run.console, IsEmpty());
  const std::string pdf = read_text(file);
  const std::size_t pages = occurrences(pdf, "/Type /Page\n");
  EXPECT_GE(pages, 5u);
  EXPECT_LE(pages, 40u) << "of tables some rows only";
  EXPECT_EQ(occurrences(pdf, "/MediaBox [0 0 612 792]"), pages) << "none is wider";
  EXPECT_GE(occurrences(pdf, "/Subtype /Image"), 8u) << "a chart is a picture";
}

}  // namespace
}  // namespace heliolite::report_looks_test
