// What the pages show is what the program does: every "$ heliolite .." or "$ ./heliolite .." in a block of README.md
// and of the pages of docs/ is run, from top to bottom of a page in one folder, and its output compared. A line ".."
// stands for any lines and at the end of a line for the rest of it, times are left out, and a command without output
// need only succeed (exit code 0, or 1: a difference, nothing found). A block that follows a line ending in "`NAME`:"
// is the file NAME. Blocks behind a line "<!-- not run: WHY -->", which no reader sees, are left out.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/cli_runner.h"

namespace heliolite::doc_commands_test {
namespace {

namespace fs = std::filesystem;

struct Command {
  std::size_t line = 0;  // of the page
  std::string words;
  std::vector<std::string> output;
};

// A page from top to bottom: files to write and commands to run.
struct Step {
  std::string file, text;  // no name: a command
  Command command;
};

std::optional<std::string> file_named(const std::string& line) {
  static const std::regex kName("`([^`/ ]+)`:$");
  std::smatch found;
  if (!std::regex_search(line, found, kName)) return std::nullopt;
  return found[1];
}

bool is_command(const std::string& line) {
  return line.starts_with("$ heliolite ") || line.starts_with("$ ./heliolite ");
}

std::vector<Step> steps_of(const std::string& page) {
  std::vector<Step> steps;
  std::istringstream lines(page);
  std::string line, before;
  bool inside = false, shown = false;  // of a block; of the output of a command
  bool left_out = false;               // the block
  std::optional<std::string> file;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (line.starts_with("```")) {
      inside = !inside;
      shown = false;
      left_out = inside && before.starts_with("<!-- not run: ");
      file = inside ? file_named(before) : std::nullopt;
      if (file) steps.push_back({*file, "", {}});
    } else if (inside && file) {
      steps.back().text += line + "\n";
    } else if (left_out) {
      continue;
    } else if (inside && is_command(line)) {
      const std::size_t begin = number;
      std::string words = line.substr(2);
      while (words.ends_with("\\") && std::getline(lines, line)) words.back() = ' ', words += line, ++number;
      steps.push_back({"", "", {begin, words, {}}});
      shown = true;
    } else if (inside && line.starts_with("$ ")) {
      shown = false;  // another program's
    } else if (inside && shown) {
      steps.back().command.output.push_back(line);
    }
    if (!line.empty()) before = line;
  }
  return steps;
}

// Without what differs from run to run: times, and the width of the columns that they stand in.
std::string normal(const std::string& line) {
  static const std::regex kTime(R"(\b[0-9]+(\.[0-9]+)? (us|ms|s|min)\b)"), kSpaces(" +"), kRule("-{4,}");
  std::string out = std::regex_replace(line, kTime, "TIME");
  out = std::regex_replace(std::regex_replace(out, kRule, "----"), kSpaces, " ");
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

std::vector<std::string> normal_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(normal(line));
  return lines;
}

// Whether a line of the page, normal(), stands for this one.
bool stands_for(const std::string& line, const std::string& got) {
  return line.ends_with(" ..") ? got.starts_with(line.substr(0, line.size() - 2)) : line == got;
}

// The first line of `expected` that does not follow in `got`; none: all do.
std::optional<std::string> first_missing(const std::vector<std::string>& expected,
                                         const std::vector<std::string>& got) {
  auto next = got.begin();
  bool skips = false;
  for (const std::string& line : expected) {
    const std::string wanted = normal(line);
    if (wanted == ".." || wanted == " ..") {
      skips = true;
      continue;
    }
    const auto is_it = [&](const std::string& candidate) { return stands_for(wanted, candidate); };
    const auto found = skips ? std::find_if(next, got.end(), is_it) : next;
    if (found == got.end() || !is_it(*found)) return line;
    next = found + 1;
    skips = false;
  }
  return std::nullopt;
}

void check_page(const std::string& page) {
  const TempFolder folder;
  const std::string root = std::string(HELIOLITE_TEST_DATA) + "/..";
  fs::create_symlink(HELIOLITE_BINARY, folder.path("heliolite"));
  for (const char* name : {"configs", "tests"}) fs::create_directory_symlink(root + "/" + name, folder.path(name));
  const std::string out = folder.path("shown");
  for (const Step& step : steps_of(read_text(root + "/" + page))) {
    if (!step.file.empty()) {
      folder.write(step.file, step.text);
      continue;
    }
    const std::string where = page + ":" + std::to_string(step.command.line) + ": " + step.command.words;
    const std::string shell = "cd '" + folder.path("") + "' && export PATH=\"$PWD:$PATH\" COLUMNS=120 && ( " +
                              step.command.words + "\n) >'" + out + "' 2>&1 </dev/null";
    const int status = std::system(shell.c_str());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) <= 1) << where << "\n" << read_text(out);
    const auto missing = first_missing(step.command.output, normal_lines(read_text(out)));
    EXPECT_FALSE(missing) << where << "\nthe page shows\n" << *missing << "\nthe program says\n" << read_text(out);
  }
}

// All pages that there are.
std::vector<std::string> pages() {
#ifdef HELIOLITE_FIRST_PAGES
  return {"README.md", "docs/tutorial.md"};
#else
  const std::string root = std::string(HELIOLITE_TEST_DATA) + "/../";
  std::vector<std::string> names{"README.md"};
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root + "docs")) {
    if (entry.path().extension() == ".md") names.push_back(entry.path().string().substr(root.size()));
  }
  std::ranges::sort(names);
  return names;
#endif
}

class DocPages : public ::testing::TestWithParam<std::string> {};

TEST_P(DocPages, ShowWhatTheProgramDoes) { check_page(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, DocPages, ::testing::ValuesIn(pages()), [](const auto& page) {
  return std::regex_replace(page.param, std::regex("[^A-Za-z0-9]"), "_");
});

TEST(DocCommands, ALineThatTheProgramDoesNotSayIsFound) {
  EXPECT_EQ(first_missing({"a", "..", "c 1.5 s"}, {"a", "b", "b", "c TIME"}), std::nullopt);
  EXPECT_EQ(first_missing({"a", "c"}, {"a", "b", "c"}), "c");
  EXPECT_EQ(first_missing({"a", "..", "d"}, {"a", "b"}), "d");
  EXPECT_EQ(first_missing({"4 of 5, .."}, {"4 of 5, 6 more"}), std::nullopt);
}

}  // namespace
}  // namespace heliolite::doc_commands_test
