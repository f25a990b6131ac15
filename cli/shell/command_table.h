#pragma once
// The commands and options as CLI11 has them, which completions and manual pages are made of.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace heliolite::cli {

// What a shell offers where a value stands, besides names.
struct Offers {
  bool machines = false, workloads = false, files = false, folders = false;
  bool layers = false;  // of the workload that the line names, asked from the program when they are wanted

  bool any() const { return machines || workloads || files || folders || layers; }
};

// An option, or an argument that stands by itself.
struct OptionRow {
  std::vector<std::string> names;    // "-a", "--architecture"; none: an argument
  std::string argument;              // name of an argument: "paths"; empty: an option
  std::string value;                 // "FILE", what help shows for the value; empty: a switch
  std::vector<std::string> choices;  // names that the value may be; empty: no names, or not a value
  Offers offers;                     // told by `value`
  bool list = false;                 // takes several values with commas between them
  bool many = false;                 // an argument for all words that follow
  bool required = false;
  std::string usual;  // the default as help shows it
  std::string help;   // one sentence
};

struct CommandRow {
  std::string name;  // "map"; of the program "heliolite"
  std::string help;  // one line
  std::string footer;
  std::vector<OptionRow> options;  // as help lists them
};

struct CommandTable {
  CommandRow program;
  std::vector<CommandRow> commands;
};

CommandTable command_table(const CLI::App& app);

// The names of presets that are offered.
std::vector<std::string> preset_names(const Offers& offers);

// The completions of the shells, from the table of options.

std::string bash_completion(const CommandTable& table);
std::string zsh_completion(const CommandTable& table);
std::string fish_completion(const CommandTable& table);

}  // namespace heliolite::cli
