#include "engine/inputs/input_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "engine/base/file_bytes.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/base/yaml_value.h"
#include "engine/inputs/template_render.h"

namespace heliolite {
namespace {

namespace fs = std::filesystem;

// Whether the name is the pattern, in which '*' is any text.
bool matches(std::string_view name, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t at = star; at <= name.size(); ++at)
    if (matches(name.substr(at), rest)) return true;
  return false;
}

std::vector<std::string> files_like(const fs::path& path) {
  std::vector<std::string> files;
  std::error_code error;
  const fs::path folder = path.parent_path();
  for (fs::directory_iterator it(folder.empty() ? "." : folder, error), end; !error && it != end; it.increment(error))
    if (it->is_regular_file(error) && matches(it->path().filename().string(), path.filename().string()))
      files.push_back((folder / it->path().filename()).string());
  std::ranges::sort(files);
  return files;
}

}  // namespace

SearchPath::SearchPath(const std::string& file, std::vector<std::string> added)
    : folder_(fs::path(file).parent_path().string()), added_(std::move(added)) {}

std::string SearchPath::absolute_folder() const {
  std::error_code error;
  const fs::path absolute = fs::absolute(folder_.empty() ? "." : folder_, error);
  return error ? folder_ : absolute.lexically_normal().string();
}

std::vector<std::string> SearchPath::passed_on() const {
  std::vector<std::string> folders = added_;
  const std::string own = folder_.empty() ? "." : folder_;
  if (std::ranges::find(folders, own) == folders.end()) folders.push_back(own);
  return folders;
}

std::vector<std::string> SearchPath::candidates(const std::string& name) const {
  if (name.empty() || name.find('\0') != std::string::npos) return {};
  if (fs::path(name).is_absolute()) return {name};
  std::vector<std::string> paths{(fs::path(folder_) / name).lexically_normal().string()};
  for (const std::string& folder : added_) paths.push_back((fs::path(folder) / name).lexically_normal().string());
  return paths;
}

Result<std::vector<std::string>> SearchPath::find(const std::string& name) const {
  const bool pattern = std::ranges::count(fs::path(name).filename().string(), '*') > 0;
  std::vector<std::string> found;
  const std::vector<std::string> paths = candidates(name);
  for (const std::string& path : paths) {
    std::error_code error;
    if (pattern) {
      for (std::string& file : files_like(path))
        if (std::ranges::find(found, file) == found.end()) found.push_back(std::move(file));
    } else if (found.empty() && fs::exists(path, error)) {
      found.push_back(path);
    }
  }
  if (!found.empty()) return found;
  return Diagnostic{"", 0, "",
                    fmt::format("there is no file '{}'{}", shortened(name),
                                paths.empty() ? "" : "; looked for " + join(paths, "and"))};
}

bool SearchPath::exists(const std::string& name) const { return find(name).ok(); }

namespace {

constexpr std::size_t kMaxInclusions = 16;  // one in the other
constexpr int kMaxInputFiles = 1000;
constexpr std::size_t kMaxInputBytes = kMaxTextFileBytes;  // all files of one input together

Diagnostic no_place(std::string message) { return {"", 0, "", std::move(message)}; }

// Loads one file and what it includes.
class InputLoader {
 public:
  explicit InputLoader(const ReadOptions& options) {
    for (const auto& [name, value] : options.defines) names_[name] = template_value(value);
  }

  Result<YamlNode> load(const std::string& path, const std::string& content) { return load(path, {}, names_, content); }

 private:
  // `added`: folders that are searched besides that of the file.
  // `content`: its text, where it has been read.
  // `names`: what its template knows at its beginning.
  Result<YamlNode> load(const std::string& path, const std::vector<std::string>& added, const TemplateNames& names,
                        const std::optional<std::string>& content = {}) {
    const Result<std::string> text = open(path, content);
    if (!text) return text.errors();
    if (stack_.size() == 1) shares_names_ = !accelforge_part(*text).empty();
    if (is_libconfig(*text)) {
      close();
      return Diagnostic{path, 0, "",
                        "is in the format of libconfig (Timeloop's .cfg files), which is not read: write it as YAML, "
                        "'name = value;' as 'name: value' and '( .. )' as a list"};
    }
    SearchPath search(path, added);
    std::vector<std::shared_ptr<const YamlValue>> values;  // that `!include_loaded N` stands for
    const Result<RenderedText> rendered = render(*text, path, search, values, names);
    Result<YamlNode> node = rendered ? parse(*rendered, path, search, values) : Result<YamlNode>(rendered.errors());
    close();
    return node;
  }

  using Values = std::vector<std::shared_ptr<const YamlValue>>;

  Result<std::string> open(const std::string& path, const std::optional<std::string>& content = {}) {
    std::error_code ignored;
    const fs::path real = path.find('\0') == std::string::npos ? fs::weakly_canonical(path, ignored) : fs::path(path);
    if (std::ranges::find(stack_, real) != stack_.end()) return Diagnostic{path, 0, "", "includes itself"};
    if (stack_.size() >= kMaxInclusions)
      return Diagnostic{path, 0, "", fmt::format("files include one another deeper than {} levels", kMaxInclusions)};
    if (++files_ > kMaxInputFiles)
      return Diagnostic{path, 0, "", fmt::format("more than {} files are included", kMaxInputFiles)};
    Result<std::string> text = content ? Result<std::string>(*content) : read_text_file(path);
    if (!text) return text;
    bytes_ += text->size();
    if (bytes_ > kMaxInputBytes)
      return Diagnostic{path, 0, "",
                        fmt::format("the included files have more than {} MiB together", kMaxInputBytes >> 20)};
    stack_.push_back(real);
    return text;
  }
  void close() { stack_.pop_back(); }

  Result<RenderedText> render(const std::string& text, const std::string& path, SearchPath& search, Values& values,
                              const TemplateNames& names) {
    if (!is_template(text)) {
      RenderedText plain;
      plain.text = text;
      return plain;
    }
    const TemplateCall call = [&](std::string_view name, std::span<const TemplateValue> arguments,
                                  const TemplateNames& known) {
      return this->call(name, arguments, search, values, shares_names_ ? known : names_);
    };
    const TemplateInclude include = [&](const std::string& name, const TemplateNames& known) {
      return this->included_text(name, search, known);
    };
    return render_template(text, path, names, call, include);
  }

  Result<YamlNode> parse(const RenderedText& rendered, const std::string& path, SearchPath& search,
                         const Values& values) {
    const auto include = [&](const YamlNode& scalar, Diagnostics& errors) -> std::shared_ptr<const YamlValue> {
      if (scalar.tag() == "!include_loaded") {
        // "3", or with the keys that a template has behind the included value, "3.workload.einsums".
        const std::vector<std::string> parts = split(scalar.text(), '.');
        const std::optional<i64> index = parts.empty() ? std::nullopt : scalar.scalar(parts.front()).as_integer();
        if (index && *index >= 0 && *index < static_cast<i64>(values.size())) {
          const Result<YamlNode> value = at_key(YamlNode::of(values[*index], ""), std::span(parts).subspan(1));
          if (value) return value->value();
          errors.push_back(scalar.error(value.errors().front().message));
          return nullptr;
        }
        errors.push_back(scalar.error("!include_loaded is written by templates only; write !include FILE"));
        return nullptr;
      }
      std::string file =
          scalar.text().ends_with(',') ? scalar.text().substr(0, scalar.text().size() - 1) : scalar.text();
      const bool folder = scalar.tag() == "!includedir";
      Result<YamlNode> value = included(folder ? file + "/*.yaml" : file, "", folder, search, names_);
      if (value) return value->value();
      for (const Diagnostic& error : value.errors())
        errors.push_back(error.file.empty() ? scalar.error(error.message) : error);
      if (!value.errors().front().file.empty())
        errors.push_back(scalar.error(fmt::format("{} cannot be read", shortened(file))));
      return nullptr;
    };
    return YamlNode::parse(YamlText{.text = rendered.text, .name = path, .lines = rendered.lines, .include = include});
  }

  static Result<YamlNode> at_key(YamlNode node, std::span<const std::string> parts) {
    for (const std::string& part : parts) {
      const auto child = node.find(part);
      if (!child) return node.error(fmt::format("has no key '{}'{}", shortened(part), did_you_mean(part, node.keys())));
      node = *child;
    }
    return node;
  }

  // The value at `key` ("a.b.c") of the file, or the list of those of all files that `name` stands for.
  Result<YamlNode> included(const std::string& name, const std::string& key, bool all, const SearchPath& search,
                            const TemplateNames& names) {
    const Result<std::vector<std::string>> files = search.find(name);
    if (!files) return files.errors();
    if (!all && files->size() > 1)
      return no_place(fmt::format("'{}' is {} files; include_all() takes several", name, files->size()));
    auto list = std::make_shared<YamlValue>();
    list->kind = YamlNode::Kind::Sequence;
    for (const std::string& file : *files) {
      Result<YamlNode> node = load(file, search.passed_on(), names);
      if (node) node = at_key(*node, split(key, '.'));
      if (!node) return node;
      if (!all) return node;
      list->account(*node->value());
      list->elements.push_back(node->value());
    }
    return YamlNode::of(list, "");
  }

  CallResult call(std::string_view name, std::span<const TemplateValue> arguments, SearchPath& search, Values& values,
                  const TemplateNames& names) {
    const auto text = [&](std::size_t i) { return i < arguments.size() ? text_of(arguments[i]) : std::string(); };
    const auto takes = [&](std::size_t low, std::size_t high) -> std::optional<CallResult> {
      if (arguments.size() >= low && arguments.size() <= high) return std::nullopt;
      return CallResult{true, no_place(fmt::format("{}() takes {} argument{}, not {}", name, high, high == 1 ? "" : "s",
                                                   arguments.size()))};
    };
    if (name == "cwd") return takes(0, 0).value_or(CallResult{true, TemplateValue{search.absolute_folder()}});
    if (name == "path_exists") return takes(1, 1).value_or(CallResult{true, TemplateValue{search.exists(text(0))}});
    if (name == "include_text")
      return takes(1, 1).value_or(CallResult{true, text_value(included_text(text(0), search, names))});
    if (name == "find_path" || name == "add_to_path") {
      if (const auto wrong = takes(1, 1)) return *wrong;
      // An empty name is the folder itself: cwd() of a file that was named without a folder.
      const auto found = search.find(text(0).empty() ? "." : text(0));
      if (!found) return {true, found.errors()};
      if (name == "find_path") return {true, TemplateValue{found->front()}};
      search.add(found->front());
      return {true, TemplateValue{std::string()}};
    }
    if (name != "include" && name != "include_all") return {false, TemplateValue{}};
    if (const auto wrong = takes(1, 2)) return *wrong;
    const Result<YamlNode> value = included(text(0), text(1), name == "include_all", search, names);
    if (!value) return {true, value.errors()};
    values.push_back(value->value());
    return {true, TemplateValue{fmt::format("!include_loaded {}", values.size() - 1)}};
  }

  static Result<TemplateValue> text_value(Result<RenderedText> text) {
    if (!text) return text.errors();
    return TemplateValue{std::make_shared<const RenderedText>(*std::move(text))};
  }

  // The text of the files that `name` stands for, templates that know `names`.
  Result<RenderedText> included_text(const std::string& name, const SearchPath& search, const TemplateNames& names) {
    const Result<std::vector<std::string>> files = search.find(name);
    if (!files) return files.errors();
    RenderedText all;
    for (const std::string& file : *files) {
      const Result<std::string> text = open(file);
      if (!text) return text.errors();
      SearchPath inner(file, search.passed_on());
      Values values;
      Result<RenderedText> rendered = render(*text, file, inner, values, names);
      close();
      if (!rendered) return rendered.errors();
      if (!values.empty())
        return Diagnostic{file, 0, "", "is included as text and includes values itself; include it with include()"};
      if (rendered->lines.empty()) all.append(rendered->text, std::make_shared<const std::string>(file), 1, true);
      else all.append(*rendered);
      if (files->size() > 1 && !all.text.ends_with('\n')) all.append("\n", all.lines.back().file, 0, false);
    }
    return all;
  }

  TemplateNames names_;
  bool shares_names_ = false;    // AccelForge's files hand the names they have set to those that they include
  std::vector<fs::path> stack_;  // files being read, each included by the one before
  int files_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

Result<YamlNode> load_input(const std::string& path, const ReadOptions& options) {
  const Result<std::string> text = read_text_file(path);
  return text ? load_input(path, options, *text) : Result<YamlNode>(text.errors());
}

Result<YamlNode> load_input(const std::string& path, const ReadOptions& options, const std::string& text) {
  return InputLoader(options).load(path, text);
}

std::string_view accelforge_part(const YamlNode& document) {
  constexpr std::string_view kMachine[] = {"!Memory", "!Compute", "!Toll", "!Fork", "!Array"};
  constexpr std::string_view kMapping[] = {"!Storage", "!Temporal", "!Spatial", "!Loop", "!Split", "!Sequential"};
  const auto has_node = [&](const char* key, std::span<const std::string_view> tags) {
    const std::optional<YamlNode> part = document.find(key);
    const std::vector<YamlNode> nodes = elements(part ? part->find("nodes") : std::nullopt);
    return std::ranges::any_of(nodes, [&](const YamlNode& node) { return std::ranges::count(tags, node.tag()) > 0; });
  };
  if (has_node("arch", kMachine)) return "machine";
  if (has_node("mapping", kMapping)) return "mapping";
  const std::optional<YamlNode> workload = document.find("workload");
  const std::optional<YamlNode> renames = document.find("renames");
  const bool cascade = workload && (workload->has("einsums") || workload->has("iteration_space_shape"));
  return cascade || (renames && renames->has("einsums")) ? "workload" : "";
}

std::string_view accelforge_part(std::string_view text) {
  const auto has_key = [&](std::string_view key) {
    return text.starts_with(key) || text.find("\n" + std::string(key)) != std::string_view::npos;
  };
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  if (has_key("arch:") && has("!Memory") && has("!Compute")) return "machine";
  if (has_key("mapping:") && has("!Storage") && has("!Compute")) return "mapping";
  return has_key("workload:") && (has("einsums:") || has_key("renames:")) ? "workload" : "";
}

Result<YamlNode> refuse_accelforge(Result<YamlNode> document, std::string_view wanted) {
  if (!document) return document;
  const std::string_view part = accelforge_part(*document);
  if (part.empty() || part == wanted) return document;
  const auto option = [](std::string_view of) { return of == "machine" ? "-a" : of == "workload" ? "-w" : "-m"; };
  return Diagnostic{document->file(), 0, "",
                    fmt::format("is a {} of AccelForge, which {} takes; here stands a {}", part, option(part), wanted)};
}

bool is_front_end_text(std::string_view text) {
  return is_template(text) || text.find("<<<") != std::string_view::npos;
}

bool is_libconfig(std::string_view text) {
  bool remark = false;  // between /* and */
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trim(text.substr(at, end - at));
    at = end + 1;
    if (line.starts_with("/*")) remark = true;
    const bool skip = remark || line.empty() || line.starts_with('#') || line.starts_with("//");
    if (line.ends_with("*/")) remark = false;
    if (skip) continue;
    // The first line that says something: "name =" or "name :" with a brace on a line of its own.
    const auto is_word = [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '*'; };
    const std::size_t word = static_cast<std::size_t>(std::ranges::find_if_not(line, is_word) - line.begin());
    const std::string_view rest = trim(line.substr(word));
    if (word == 0 || rest.empty()) return false;
    if (rest.front() == '=') return true;
    const std::string_view next = trim(text.substr(std::min(at, text.size())));
    return rest == ":" && next.starts_with('{') && text.find(';') != std::string_view::npos;
  }
  return false;
}

}  // namespace heliolite
