# SPDX-License-Identifier: GPL-2.0
#
# Split the text of arguments

package ArgText;

use strict;
use warnings;
use parent 'Exporter';

our @EXPORT = qw(split_args);

# Split "a=1, b={.x=1, .y=2}" at its outer commas: those outside of strings, braces, parentheses and
# brackets
sub split_args {
	my ($text) = @_;
	my ($depth, @args) = (0, '');

	while ($text =~ /\G("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|, |[^"'(){}\[\],]+|.)/gs) {
		my $token = $1;

		$depth++ if $token =~ /^[({\[]$/;
		$depth-- if $token =~ /^[)}\]]$/;
		if ($token eq ', ' && $depth <= 0) {
			push(@args, '');
		} else {
			$args[-1] .= $token;
		}
	}
	return grep { $_ ne '' } @args;
}

1;
