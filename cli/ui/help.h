#pragma once
// The form of --help: the usage with the required options, then one line for each option with its default at the end.
#include <CLI/CLI.hpp>
#include <string>

namespace heliolite::cli {

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace heliolite::cli
