#pragma once
// How --help looks: usage with the required options, one line an option, defaults at the end of it.
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
