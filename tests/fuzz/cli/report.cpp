#include <cmath>

#include "cli/report/report_page.hpp"
#include "fuzz/support.hpp"
#include "runtime/printable.hpp"

using namespace troupe;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::InputInFile file;
  const std::string& path = file.hold(std::as_bytes(std::span(data, size)));
  fuzz::may_refuse(
      [&] {
        const cli::RunRecord run = cli::read_run(path);
        fuzz::expect(run.steps > 0 && run.first_step <= run.last_step, "there is a step");
        for (const auto& stretch : run.numbers.stretches())
          for (std::size_t i = 0; i < cli::kStepNumbers; ++i)
            fuzz::expect(std::isfinite(stretch.least[i]) && stretch.least[i] <= stretch.most[i], "numbers are finite");
        for (const auto& [name, text] : cli::facts_of(run))
          fuzz::expect(is_printable(text, text.size()), "facts are printable");
        const std::string page = cli::report_page("fuzz", run).text();
        for (const char* wrong : {"=\"nan", "=\"-nan", "=\"inf", "<script", "<img"})
          fuzz::expect(page.find(wrong) == page.npos, "the page has finite coordinates and no markup from the report");
      },
      {ErrorCode::bad_file});
  return 0;
}
