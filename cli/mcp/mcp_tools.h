#pragma once
// The commands of the command line as tools of the Model Context Protocol. What a tool takes follows from the command's
// options as CLI11 has them, so that a new option needs nothing here.
#include <string>
#include <vector>

#include "cli/shell/command_table.h"
#include "cli/ui/json.h"
#include "engine/base/result.h"

namespace heliolite::cli {

// The commands that are tools: those that answer from what they are given, and write nothing unless told to.
std::vector<std::string> mcp_tool_names();

// Options by their long names without dashes ("architecture"), arguments by their own; switches are booleans, lists and
// what stands for several words arrays.
class McpTool {
 public:
  explicit McpTool(CommandRow command);

  const std::string& name() const { return command_.name; }
  // {"name", "description", "inputSchema"} of tools/list.
  Json description() const;
  // The words of the command line that `arguments`, an object, stand for. Errors: an argument that the tool does not
  // have, or of another type; one that it must have and that is missing.
  Result<std::vector<std::string>> words(const Json& arguments) const;

 private:
  struct Parameter {
    std::string name;    // as tools have it
    std::string option;  // "--architecture"; empty: an argument
    OptionRow row;
  };
  Json schema(const Parameter& parameter) const;

  CommandRow command_;
  std::vector<Parameter> parameters_;
};

}  // namespace heliolite::cli
