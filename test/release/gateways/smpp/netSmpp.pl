#!/usr/bin/perl
# A message centre that knows nothing of this repository: Net::SMPP plays it. Prints its port, and then a
# line for each bind, message, answer to a receipt, and unbind. What it does with a message, the last three
# digits of the recipient say. With the argument "hex" it answers with ids in hexadecimal and writes them
# in decimal in the text of its receipts; otherwise its receipts have the fields of SMPP 3.4. With the
# argument "pair" it refuses transceivers.
use strict;
use warnings;
use IO::Select;
use Net::SMPP;

my $hex = grep { $_ eq 'hex' } @ARGV;
my $pair = grep { $_ eq 'pair' } @ARGV;
my $next = 0x1a2b;
my %state = (DELIVRD => 2, UNDELIV => 5);
$| = 1;

my $listener = Net::SMPP->new_listen('127.0.0.1', port => 0, smpp_version => 0x34, timeout => 5)
  or die "cannot listen: $!";
print 'port ', $listener->sockport, "\n";

# Whoever is bound to receive.
my $receiver;

sub report {
    my ($pdu, $id, $state) = @_;
    my $text_id = $hex ? $id : 0;
    my @fields = $hex ? () : (receipted_message_id => sprintf("%x\0", $id), message_state => pack('C', $state{$state}));
    $receiver->deliver_sm(
        async => 1,
        source_addr_ton => 1, source_addr_npi => 1, source_addr => $pdu->{destination_addr},
        dest_addr_ton => 5, dest_addr_npi => 0, destination_addr => $pdu->{source_addr},
        esm_class => 0x04,
        short_message => "id:$text_id sub:001 dlvrd:001 submit date:2611180900 done date:2611180901 stat:$state err:000 text:x",
        @fields,
    );
}

sub submitted {
    my ($centre, $pdu) = @_;
    print join(' ', 'submit', $pdu->{source_addr}, $pdu->{destination_addr}, $pdu->{esm_class},
        $pdu->{data_coding}, unpack('H*', $pdu->{short_message})), "\n";
    my $kind = substr $pdu->{destination_addr}, -3;
    return 0 if $kind eq '104';
    my %refused = (101 => 0x0b, 102 => 0x58);
    my $status = $refused{$kind} || 0;
    my $id = $next++;
    $centre->submit_sm_resp(seq => $pdu->{seq}, status => $status, message_id => $status ? '' : sprintf('%X', $id));
    report($pdu, $id, $kind eq '103' ? 'UNDELIV' : 'DELIVRD')
      if !$status && $pdu->{registered_delivery};
    return 1;
}

sub bound {
    my ($centre, $pdu, $way) = @_;
    print "bind $pdu->{system_id} $pdu->{password}", ($way eq 'transceiver' ? '' : " $way"), "\n";
    my $status = $pdu->{password} ne 'secret' ? 0x0e : $pair && $way eq 'transceiver' ? 0x04 : 0;
    $centre->set_version(0x34);
    my $answer = "bind_${way}_resp";
    $centre->$answer(seq => $pdu->{seq}, system_id => 'centre', status => $status);
    $receiver = $centre if !$status && $way ne 'transmitter';
}

my %way = (
    Net::SMPP::CMD_bind_transceiver, 'transceiver',
    Net::SMPP::CMD_bind_transmitter, 'transmitter',
    Net::SMPP::CMD_bind_receiver, 'receiver',
);

# One PDU; false when it was the last one.
sub serve {
    my ($centre) = @_;
    my $pdu = $centre->read_pdu or return 0;
    my $cmd = $pdu->{cmd};
    if ($way{$cmd}) {
        bound($centre, $pdu, $way{$cmd});
    } elsif ($cmd == Net::SMPP::CMD_submit_sm) {
        return submitted($centre, $pdu);
    } elsif ($cmd == Net::SMPP::CMD_enquire_link) {
        print "enquire\n";
        $centre->enquire_link_resp(seq => $pdu->{seq});
    } elsif ($cmd == Net::SMPP::CMD_deliver_sm_resp) {
        print "answered $pdu->{status}\n";
    } elsif ($cmd == Net::SMPP::CMD_unbind) {
        $centre->unbind_resp(seq => $pdu->{seq});
        print "unbind\n";
        return 0;
    }
    return 1;
}

$SIG{__WARN__} = sub { };
my $select = IO::Select->new($listener);
while (1) {
    my @ready = $select->can_read(5);
    # Nobody would end it when the test that started it is gone.
    exit if getppid == 1;
    for my $handle (@ready) {
        if ($handle == $listener) {
            my $centre = $listener->accept;
            $select->add($centre) if $centre;
        } elsif (!serve($handle)) {
            $select->remove($handle);
            close $handle;
        }
    }
}
