#include "runtime/net/certificates/expiry.hpp"

#include <algorithm>
#include <array>
#include <ctime>

#include "runtime/log.hpp"
#include "runtime/net/certificates/certificate_files.hpp"
#include "runtime/net/certificates/role.hpp"

namespace troupe {
namespace {

constexpr std::int64_t kSoon = 14 * net::kDay;

std::int64_t seconds_between(const ASN1_TIME* from, const ASN1_TIME* to) {
  int days = 0;
  int seconds = 0;
  ASN1_TIME_diff(&days, &seconds, from, to);
  return std::int64_t{days} * net::kDay + seconds;
}

std::string day_of(const ASN1_TIME* time) {
  std::tm parts = {};
  std::array<char, 32> text{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return "an invalid date";
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts)};
}

bool ends_soon(const X509* certificate) {
  const std::int64_t life = seconds_between(X509_get0_notBefore(certificate), X509_get0_notAfter(certificate));
  return net::seconds_left(certificate) < std::min(kSoon, life / 3);
}

std::string notice(const std::string& file, const std::string& advice) {
  const net::CertificatePtr certificate = net::read_certificate(file);
  if (!ends_soon(certificate.get())) return {};
  const auto days = std::max<std::int64_t>(0, net::seconds_left(certificate.get()) / net::kDay);
  return file + " expires in " + std::to_string(days) + " days, on " + day_of(X509_get0_notAfter(certificate.get())) +
         ": " + advice;
}

}  // namespace

namespace net {

std::int64_t seconds_left(const X509* certificate) { return seconds_between(nullptr, X509_get0_notAfter(certificate)); }

}  // namespace net

std::string last_day_of(const std::string& folder) {
  return day_of(X509_get0_notAfter(net::read_certificate(folder + "/cert.pem").get()));
}

std::string expiry_notice(const std::string& folder) {
  std::string authority = notice(folder + "/ca.pem", "make a new authority with `troupe certs init`");
  if (!authority.empty()) return authority;
  const std::string file = folder + "/cert.pem";
  const net::CertificatePtr certificate = net::read_certificate(file);
  const std::string member =
      net::has_role(certificate.get(), Role::driver) ? "driver" : net::common_name(certificate.get());
  return notice(file, "run `troupe certs renew DIR " + member + "` where its authority is, and copy the result here");
}

void note_expiry(const std::string& folder) {
  if (const std::string notice = expiry_notice(folder); !notice.empty()) log_line(LogLevel::warning, notice);
}

}  // namespace troupe
