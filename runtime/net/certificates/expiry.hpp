#pragma once

#include <cstdint>
#include <string>

#include "runtime/net/openssl.hpp"

namespace troupe {

namespace net {
/// Returns the seconds until a certificate expires; negative if it has expired.
std::int64_t seconds_left(const X509* certificate);
}  // namespace net

/// Returns the day (in UTC) on which the certificate `folder/cert.pem` of a driver or node expires, such as
/// "2027-02-19".
/// @throws Error bad_certificate
std::string last_day_of(const std::string& folder);

/// Returns one line with advice, if ca.pem or cert.pem in `folder` expires soon; otherwise returns an empty text. A
/// certificate expires soon if less than 14 days remain, and also less than a third of its lifetime.
/// @throws Error bad_certificate
std::string expiry_notice(const std::string& folder);
/// Logs a warning if ca.pem or cert.pem in `folder` expires soon (see `expiry_notice`). @throws Error bad_certificate
void note_expiry(const std::string& folder);

}  // namespace troupe
