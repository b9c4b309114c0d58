// SPDX-License-Identifier: Apache-2.0
// The files of html/, built into the command: see cmake/embed_pages.cmake.
#pragma once

#include <string_view>

namespace jostle::report::pages {

extern const std::string_view base_css;  // what both pages look like
extern const std::string_view report_html, report_css, report_js;
extern const std::string_view campaign_html, campaign_css, campaign_js;
extern const std::string_view executions_html, executions_js;  // looks as a campaign's

}  // namespace jostle::report::pages
