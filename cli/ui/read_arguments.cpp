#include "cli/ui/read_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/ui/option_names.h"
#include "engine/base/shortened.h"
#include "engine/base/text.h"
#include "workloads/rename.h"
#include "workloads/word_bits.h"

namespace heliolite::cli {
namespace {

void add_defines(const std::vector<std::string>& texts, ReadOptions& options) {
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::string_view name = std::string_view(text).substr(0, equals);
    const bool is_name = !name.empty() && is_letter(name.front()) &&
                         std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c); });
    if (equals == std::string::npos || !is_name)
      throw CLI::ValidationError("--define", fmt::format("'{}' must be NAME=VALUE", shortened(text)));
    options.defines[std::string(name)] = text.substr(equals + 1);
  }
}

void add_renames(const std::vector<std::string>& texts, ReadOptions& options) {
  Result<std::vector<Rename>> renames = parse_renames(fmt::format("{}", fmt::join(texts, ",")));
  if (!renames) throw CLI::ValidationError("--rename", renames.errors().front().message);
  options.renames = *std::move(renames);
}

void add_word_bits(const std::string& text, ReadOptions& options) {
  Result<WordBits> sizes = parse_word_bits(text);
  if (!sizes) throw CLI::ValidationError("--word-bits", sizes.errors().front().message);
  options.word_bits = *std::move(sizes);
}

std::string text_of(const WordBits& sizes) {
  if (sizes.source != WordBitsSource::Given) return sizes.source == WordBitsSource::Types ? "types" : "none";
  std::vector<std::string> parts;
  for (const TensorBits& size : sizes.given) parts.push_back(fmt::format("{}={}", size.tensors, size.bits));
  return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace

void add_read_options(CLI::App& command, ReadOptions& options) {
  command
      .add_option_function<std::string>(
          "--sparse", [&options](const std::string&) { options.ignore_sparse = true; },
          "What to do with sparse machines and tensors: ignore, read them as dense ones")
      ->type_name("HOW")
      ->transform(one_of({"ignore"}));
  command
      .add_option_function<std::vector<std::string>>(
          "--define", [&options](const std::vector<std::string>& texts) { add_defines(texts, options); },
          "Value of a name in templates ({{NAME}}); may be given several times")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      .add_option_function<std::vector<std::string>>(
          "--rename", [&options](const std::vector<std::string>& texts) { add_renames(texts, options); },
          "Other names for dimensions of the workload, those of the machine's constraints")
      ->type_name("OLD=NEW")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option_function<std::string>(
          "--link-transfers", [&options](const std::string& word) { options.link_transfers = word == "on"; },
          "Whether receivers take words from neighbours: on or off (default: as the machine says; Timeloop's "
          "files: on)")
      ->type_name("on|off")
      ->check(CLI::IsMember({"on", "off"}));
  command
      .add_option_function<std::string>(
          "--word-bits", [&options](const std::string& text) { add_word_bits(text, options); },
          "Bits of the words of the workload's tensors: 8, or weights=4,inputs=8,outputs=32, or types (of an ONNX "
          "model), or none (default: as the workload says; else words are those of each level)")
      ->type_name("BITS");
}

std::vector<std::string> words_of(const ReadOptions& options) {
  std::vector<std::string> words;
  if (options.ignore_sparse) words.insert(words.end(), {"--sparse", "ignore"});
  for (const auto& [name, value] : options.defines)
    words.insert(words.end(), {"--define", fmt::format("{}={}", name, value)});
  for (const Rename& rename : options.renames)
    words.insert(words.end(), {"--rename", fmt::format("{}={}", rename.from, rename.to)});
  if (options.link_transfers) words.insert(words.end(), {"--link-transfers", *options.link_transfers ? "on" : "off"});
  if (options.word_bits.source != WordBitsSource::File)
    words.insert(words.end(), {"--word-bits", text_of(options.word_bits)});
  return words;
}

void tell(const std::vector<std::string>& notes, const Output& output) {
  for (const std::string& note : notes) output.note("heliolite: note: " + note);
}

}  // namespace heliolite::cli
