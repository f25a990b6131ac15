#pragma once
// Where files that others include are looked for.
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/yaml_node.h"
#include "engine/inputs/read_options.h"

namespace heliolite {

// Folders, in their order. The first is that of the file that asks.
class SearchPath {
 public:
  SearchPath(const std::string& file, std::vector<std::string> added);

  // The folder of the file that asks; names put together with it are found from everywhere.
  std::string absolute_folder() const;
  // What a file that is included looks in besides its own folder: the added ones, then this one's.
  std::vector<std::string> passed_on() const;
  void add(const std::string& folder) { added_.push_back(folder); }

  // The files that `name` stands for, sorted in each folder; '*' in its last part is any text, and only then are there
  // several. The error, without a place, says where it was looked for.
  Result<std::vector<std::string>> find(const std::string& name) const;
  bool exists(const std::string& name) const;  // a file or a folder

 private:
  std::vector<std::string> candidates(const std::string& name) const;

  std::string folder_;
  std::vector<std::string> added_;
};

// The door for files that users name: YAML as Timeloop's front end reads it.

// The file's document, with templates carried out (template_render.h) and other files in their places: the functions
// include, include_all and include_text, the tags !include and !includedir. Values know the file and line they are
// from. Errors: those of YamlNode::load_file and of templates; files that include themselves, or others deeper than 16;
// more than 1000 files; files of libconfig.
Result<YamlNode> load_input(const std::string& path, const ReadOptions& options = {});
// Loads a file whose text has been read: a pipe can be read once.
Result<YamlNode> load_input(const std::string& path, const ReadOptions& options, const std::string& text);

// Whether a text has what only Timeloop's front end understands: a template (is_template), or a merge with `<<<`.
bool is_front_end_text(std::string_view text);

// What a document of AccelForge, which follows Timeloop, holds: "machine", "workload" or "mapping"; "" if it is none of
// its files.
std::string_view accelforge_part(const YamlNode& document);
// Which of AccelForge's parts a text holds, whose template has not been carried out yet.
std::string_view accelforge_part(std::string_view text);

// The document, unless it is a part of AccelForge's other than the wanted one: then what it is, and what takes it.
Result<YamlNode> refuse_accelforge(Result<YamlNode> document, std::string_view wanted);

// Whether a text is in the format of libconfig, Timeloop's before YAML: "name = value;".
bool is_libconfig(std::string_view text);

}  // namespace heliolite
